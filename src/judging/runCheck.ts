import { checkFile, type JudgingTools, readEvidence } from "./checkFile.js";
import type { CheckListener, CheckResult, FileToCheck } from "./fileChecks.js";
import { judgeReport } from "./report/judgeReport.js";

/** Reads the file, judges it, or both: then reading is half of the progress. `judging` is made of the organisation's catalogue. */
export async function runCheck(
  spreadsheets: JudgingTools["spreadsheets"],
  judging: (catalogue: NonNullable<FileToCheck["judge"]>["catalogue"]) => JudgingTools,
  { file, read, judge }: FileToCheck,
  { progress, answers }: CheckListener,
): Promise<CheckResult> {
  const half = (from: number) => (share: number) => progress(read && judge ? from + share / 2 : share);
  const found = read ? await readEvidence(spreadsheets, file, half(0)) : undefined;
  const evidence = found?.evidence;
  if (!judge || (found && found.rows > (judge.mostRows ?? Number.POSITIVE_INFINITY))) return { evidence };
  const watch = { progress: half(0.5), answers };
  const { report, catalogue } = judge;
  const checked = report
    ? await judgeReport(judging(catalogue), file, judge, report, watch)
    : await checkFile(judging(catalogue), file, judge, watch);
  return { evidence, checked };
}
