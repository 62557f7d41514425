// Judges a corrected error report: which of its rows can be sent as a correction of its import, and which have to stay open.
import { rowNumberColumn } from "../../domain/files/header.js";
import { limits } from "../../domain/imports/limits.js";
import { isKeptWhole } from "../../domain/pushes/correctedFile.js";
import { type Columns, cellText } from "../../domain/rows/cells.js";
import { createInt32List, type NumberList } from "../../domain/rows/compactLists.js";
import { fault, reasonOf, refusal } from "../../domain/rows/faults.js";
import { rowContext } from "../../domain/rows/rowContext.js";
import type { FileRow } from "../../ports/spreadsheets.js";
import { createShipmentIdCollector, headingByField, type JudgingTools } from "../checkFile.js";
import type { CheckedFile, CheckListener, CorrectionPart, FileToCheck, FileToJudge, ReportToJudge } from "../fileChecks.js";
import { ImportFault } from "../importFault.js";
import { type OpenSubmission, openSubmission, type SubmissionRequest } from "../openSubmission.js";
import { type PreparedRows, prepareRows, type Refusals } from "../prepareRows.js";
import { createProblemCounter } from "../problemGroups.js";
import { divideIntoParts, partsAreFull, tooLargeForPart } from "./divideIntoParts.js";
import { createPartFile, type PartFile } from "./partFiles.js";
import { type ClosedState, type RejectedRows, readRejectedRows } from "./rejectedRows.js";

/** By the ordinal of a row of the file: the row's index and group among the import's rejected rows (see rejectedRows.ts), or -1. */
interface ReportRows {
  readonly indexes: NumberList;
  readonly groups: NumberList;
}

export async function judgeReport(
  { spreadsheets, catalogue, geography }: JudgingTools,
  file: FileToCheck["file"],
  { kind, folder, columns }: Pick<FileToJudge, "kind" | "folder" | "columns">,
  report: ReportToJudge,
  watch: CheckListener,
): Promise<CheckedFile> {
  const corrects = { importId: report.importId, rows: [], ...(report.decimal && { decimal: report.decimal }) };
  const request = { kind, source: "file", file, columns, corrects } as const;
  const submission = await openSubmission(spreadsheets, request, catalogue, { source: file.path, folder });
  const rejectedRows = await readRejectedRows(report.rowsPath);
  const numberOf = rowNumberReader(submission);
  const reportRows = await findRows(submission, rejectedRows, numberOf, kind === "shipments");
  const refusals = refusalsOf(rejectedRows, reportRows, { numberOf, fields: submission.columns.fields });
  const prepared = await prepareRows({
    submission,
    refusals,
    context: rowContext(catalogue, geography),
    request: { ...request, corrects: correctsFor(report, rejectedRows, reportRows) },
    onProgress: async (fraction) => watch.progress(fraction / 2),
  });
  if (prepared.rows === 0) throw new ImportFault("The file has no rows below its header row.");
  const shipments = await judgeShipments(submission, prepared, kind);
  const partLimits = { maxRows: limits.rowsPerReportImport, maxParts: report.maxParts || Number.POSITIVE_INFINITY };
  const judgedRows = { shipments, firstShipments: reportRows.groups, firstShipmentCount: rejectedRows.groupCount };
  const { partOf, parts } = divideIntoParts(judgedRows, partLimits);
  const files: PartFile[] = [];
  if (report.maxParts > 0) for (let part = 0; part < parts; part += 1) files.push(await createPartFile(folder, part, submission.columns));
  const ids = createShipmentIdCollector(submission.columns, watch.answers.shipments);
  const problemCounter = createProblemCounter(submission.columns, headingByField(columns));
  const writtenParts: CorrectionPart[] = [];
  let [rowsRead, accepted, later] = [0, 0, 0];
  const closedRows = new Map<ClosedState, number>();
  try {
    for await (const { rows } of submission.readAgain()) {
      for (const row of rows) {
        const ordinal = rowsRead++;
        const part = partOf.get(ordinal);
        if (part === partsAreFull) later += 1;
        const index = reportRows.indexes.get(ordinal);
        const state = index < 0 ? undefined : rejectedRows.closedStateOf(index);
        if (state !== undefined) {
          closedRows.set(state, (closedRows.get(state) ?? 0) + 1);
          continue;
        }
        if (part < 0) {
          const verdict = prepared.verdict(row, ordinal);
          problemCounter.add(row, notSentRefusals.get(part) ?? (verdict.reason === undefined ? openWithShipment : verdict));
          continue;
        }
        accepted += 1;
        if (kind === "shipments") await ids.add(row, shipments.get(ordinal));
        await files[part]?.add(numberOf(row), row.cells, kind === "shipments" ? shipments.get(ordinal) : 0);
      }
      watch.progress(0.5 + rowsRead / prepared.rows / 2);
    }
    await ids.end();
  } finally {
    for (const each of files) writtenParts.push(await each.close());
  }
  const closed = [...closedRows].map(([state, rows]) => ({ state, rows }));
  const rejected = rowsRead - accepted - closed.reduce((sum, { rows }) => sum + rows, 0);
  const counts = { rows: rowsRead, accepted, rejected, shipments: kind === "shipments" ? ids.count() : null };
  return { ...counts, problems: problemCounter.problems(), notes: prepared.notes, report: { parts: writtenParts, later, closed } };
}

/** Makes `corrects` as `prepareRows` needs it: rows of a JSON push are grouped by its elements, all other rows by shipment id. */
function correctsFor({ importId }: ReportToJudge, { elementOf }: RejectedRows, { indexes }: ReportRows): SubmissionRequest["corrects"] {
  if (!elementOf) return undefined;
  const elements = Array.from({ length: indexes.length }, (_, ordinal) => elementOf(indexes.get(ordinal)));
  return { importId, rows: [], push: { importId, elements } };
}

const openWithShipment = refusal("Stays open because another line of its shipment does");
/** Why a row without a fault is not sent, by the mark that `divideIntoParts` gives it. */
const notSentRefusals = new Map([
  [partsAreFull, refusal("Does not fit into the queue now: upload the file again when earlier imports have ended")],
  [
    tooLargeForPart,
    refusal(
      `The shipment has more than ${limits.rowsPerReportImport.toLocaleString("en")} rejected lines: send the whole shipment in a new file, not as a correction`,
    ),
  ],
]);

/** Returns the function that reads from a row's cell which rejected row it corrects; NaN if the cell has no number. */
function rowNumberReader({ headings }: OpenSubmission): (row: FileRow) => number {
  const column = rowNumberColumn(headings);
  return ({ cells }) => {
    const text = cellText(cells[column]).trim();
    return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  };
}

async function findRows(
  submission: OpenSubmission,
  rejectedRows: RejectedRows,
  numberOf: (row: FileRow) => number,
  inGroups: boolean,
): Promise<ReportRows> {
  const [indexes, groups] = [createInt32List(), createInt32List()];
  const seenAt = new Int32Array(rejectedRows.count); // by index: the row of the file that has it
  for await (const { rows } of submission.read()) {
    for (const row of rows) {
      const index = rejectedRows.indexOf(numberOf(row));
      if (index >= 0) {
        const earlier = seenAt[index];
        if (earlier)
          throw new ImportFault(
            `Rows ${earlier} and ${row.row} of the file have the same row number, ${numberOf(row)}. Remove one of them.`,
          );
        seenAt[index] = row.row;
      }
      indexes.push(index);
      groups.push(index >= 0 && inGroups ? rejectedRows.groupOf(index) : -1);
    }
  }
  return { indexes, groups };
}

function refusalsOf(
  rejectedRows: RejectedRows,
  { indexes, groups }: ReportRows,
  { numberOf, fields }: { numberOf: (row: FileRow) => number; fields: Columns["fields"] },
): Refusals {
  const groupRows = new Int32Array(rejectedRows.groupCount);
  for (let ordinal = 0; ordinal < groups.length; ordinal += 1) {
    const group = groups.get(ordinal);
    if (group >= 0) groupRows[group] = (groupRows[group] ?? 0) + 1;
  }
  const unknownRow = fault("refused", "Its row number is not a rejected row of this report's import");
  return {
    get(ordinal, row) {
      const index = indexes.get(ordinal);
      const advice = Number.isNaN(numberOf(row)) ? undefined : `it is ${numberOf(row)}`;
      if (index < 0) return reasonOf([{ ...unknownRow, advice }]);
      if (rejectedRows.closedStateOf(index) !== undefined) return closedRow;
      const group = groups.get(ordinal);
      if (group >= 0 && (groupRows[group] ?? 0) < rejectedRows.sizeOf(group)) return missingLines;
      return row.cells.some((cell, column) => fields[column] !== undefined && !isKeptWhole(cellText(cell))) ? cutValue : undefined;
    },
  };
}

const closedRow = refusal("The row is no longer open");
const missingLines = refusal("The rejected lines of a shipment are corrected together, and some of this one's are missing from the file");
const cutValue = refusal("Has a value that was cut short or could not be kept: write it anew");

/** By ordinal: 0 for a row that `prepared` rejects, else the number of its shipment. Each activity counts as a shipment here. */
async function judgeShipments(submission: OpenSubmission, prepared: PreparedRows, kind: FileToJudge["kind"]): Promise<NumberList> {
  const shipments = createInt32List();
  for await (const { rows } of submission.readAgain()) {
    for (const row of rows) {
      const ordinal = shipments.length;
      const verdict = prepared.verdict(row, ordinal);
      if (verdict.reason !== undefined) shipments.push(0);
      else shipments.push(kind === "shipments" ? (verdict.shipment ?? 0) : ordinal + 1);
    }
  }
  return shipments;
}
