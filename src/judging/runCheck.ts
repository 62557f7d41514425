import { checkFile, type JudgingTools, readEvidence } from "./checkFile.js";
import type { CheckListener, CheckResult, FileToCheck } from "./fileChecks.js";
import { judgeReport } from "./report/judgeReport.js";

/** Gathers evidence from the file, judges it, or does both. If both, each is half of the progress. */
export async function runCheck(
  spreadsheets: JudgingTools["spreadsheets"],
  toolsFor: (catalogue: NonNullable<FileToCheck["judge"]>["catalogue"]) => JudgingTools,
  { file, wantsEvidence, judge }: FileToCheck,
  { progress, answers }: CheckListener,
): Promise<CheckResult> {
  const progressFrom = (start: number) => (fraction: number) => progress(wantsEvidence && judge ? start + fraction / 2 : fraction);
  const gathered = wantsEvidence ? await readEvidence(spreadsheets, file, progressFrom(0)) : undefined;
  const evidence = gathered?.evidence;
  if (!judge || (gathered && gathered.rows > (judge.maxRows ?? Number.POSITIVE_INFINITY))) return { evidence };
  const watch = { progress: progressFrom(0.5), answers };
  const { report, catalogue } = judge;
  const checked = report
    ? await judgeReport(toolsFor(catalogue), file, judge, report, watch)
    : await checkFile(toolsFor(catalogue), file, judge, watch);
  return { evidence, checked };
}
