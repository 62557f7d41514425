import type { Catalogue } from "../domain/catalogue/catalogue.js";
import type { Geography } from "../domain/geography/geography.js";
import { createEvidenceCollector, type Evidence } from "../domain/imports/columns/evidence.js";
import { customFieldPrefix } from "../domain/imports/fields.js";
import { type Columns, cellText } from "../domain/rows/cells.js";
import { reasonWithAdvice } from "../domain/rows/faults.js";
import { rowContext } from "../domain/rows/rowContext.js";
import type { FileRow, Spreadsheets } from "../ports/spreadsheets.js";
import type { CheckAnswers, CheckedFile, CheckListener, FileToCheck, FileToJudge } from "./fileChecks.js";
import { ImportFault } from "./importFault.js";
import { openSubmission } from "./openSubmission.js";
import { prepareRows } from "./prepareRows.js";
import { createProblemCounter } from "./problemGroups.js";
import { createReportFile } from "./report/reportFile.js";
import { describeUnusual } from "./unusualInFile.js";
import { createUnusualFinder } from "./unusualRows.js";

export interface JudgingTools {
  readonly spreadsheets: Spreadsheets;
  readonly catalogue: Catalogue;
  readonly geography: Geography;
}

const idsPerCall = 5_000;

/** Finds out what an import of this file would record if it ran now, with the importer's code. Records nothing. */
export async function checkFile(
  { spreadsheets, catalogue, geography }: JudgingTools,
  file: FileToCheck["file"],
  { kind, folder, columns, errorReportPath }: Omit<FileToJudge, "catalogue">,
  watch: CheckListener,
): Promise<CheckedFile> {
  const request = { kind, source: "file", file, columns } as const;
  const submission = await openSubmission(spreadsheets, request, catalogue, { source: file.path, folder });
  const reportFile = errorReportPath === undefined ? undefined : { path: errorReportPath };
  const errorReport = reportFile && createReportFile(spreadsheets, submission.reportedColumns, reportFile);
  const context = rowContext(catalogue, geography);
  const onProgress = async (fraction: number) => watch.progress(fraction / 2);
  const prepared = await prepareRows({ request, submission, context, refusals: new Map(), onProgress });
  if (prepared.rows === 0) throw new ImportFault("The file has no rows below its header row.");
  const ids = createShipmentIdCollector(submission.columns, watch.answers.shipments);
  const problemCounter = createProblemCounter(submission.columns, headingByField(columns));
  const disabledKinds = catalogue.file.unusual?.off ?? [];
  const finder =
    kind === "activities" && !errorReport ? createUnusualFinder({ pushedAt: new Date(), source: "file", disabledKinds }) : undefined;
  let [ordinal, accepted] = [0, 0];
  for await (const { rows } of submission.readAgain()) {
    for (const row of rows) {
      const verdict = prepared.verdict(row, ordinal++);
      if (verdict.reason !== undefined) {
        problemCounter.add(row, verdict);
        await errorReport?.add(row, row.row, reasonWithAdvice(verdict));
        continue;
      }
      accepted += 1;
      finder?.add(row.row, verdict.values as Record<string, unknown>);
      if (verdict.shipment !== undefined) await ids.add(row, verdict.shipment);
    }
    watch.progress(0.5 + ordinal / prepared.rows / 2);
  }
  await ids.end();
  await errorReport?.close();
  const unusualRows = await finder?.find(watch.answers);
  const unusual = unusualRows && (await describeUnusual(submission, unusualRows, headingByField(columns)));
  const counts = { rows: ordinal, accepted, rejected: ordinal - accepted, shipments: kind === "shipments" ? ids.count() : null };
  return { ...counts, problems: problemCounter.problems(), unusual, notes: prepared.notes };
}

/** Gathers from all rows how the file writes dates and numbers. A workbook's numeric cells say nothing about that: a `#` hides them. */
export async function readEvidence(
  spreadsheets: Spreadsheets,
  { path, format }: FileToCheck["file"],
  progress: CheckListener["progress"],
): Promise<{ readonly evidence: Evidence; readonly rows: number }> {
  const collector = createEvidenceCollector();
  let count = 0;
  const numberToText = (text: string) => `#${text}`; // looks like neither a date nor a number
  for await (const { rows, bytesRead, bytesTotal } of spreadsheets.readRows(path, { format, numberToText })) {
    for (const { cells } of rows) collector.add(cells);
    count += rows.length;
    progress(bytesTotal === 0 ? 1 : bytesRead / bytesTotal);
  }
  return { evidence: collector.evidence(), rows: count };
}

/** Passes each shipment's id to `use`, thousands at a time. Shipments are numbered by their first lines: a higher number is a new one. */
export function createShipmentIdCollector(columns: Columns, use: CheckAnswers["shipments"]) {
  const column = columns.fields.indexOf("shipmentId");
  let [last, count, ids]: [number, number, string[]] = [0, 0, []];
  const end = async () => {
    if (ids.length > 0) await use(ids);
    ids = [];
  };
  return {
    end,
    count: () => count,
    async add(row: FileRow, shipment: number): Promise<void> {
      if (shipment <= last) return;
      last = shipment;
      count += 1;
      if (ids.push(cellText(row.cells[column]).trim()) >= idsPerCall) await end();
    },
  };
}

/** Looks up the file's heading for a field. If the choice has none, it is the field's own name, or a custom field's key. */
export function headingByField(columns: FileToJudge["columns"]): (field: string) => string {
  const headings = new Map(Object.entries(columns?.headings ?? {}).map(([heading, field]) => [field, heading]));
  return (field) => headings.get(field) ?? (field.startsWith(customFieldPrefix) ? field.slice(customFieldPrefix.length) : field);
}
