import { elementColumn } from "../domain/imports/fields.js";
import { limits } from "../domain/imports/limits.js";
import { type Columns, cellText, storableText, submittedValues } from "../domain/rows/cells.js";
import { type RowReason, recordedFaults } from "../domain/rows/faults.js";
import type { RowContext } from "../domain/rows/rowContext.js";
import { activityJudge, shipmentLineJudge } from "../domain/rows/rowJudges.js";
import { comparedColumns } from "../domain/rows/shipmentMeaning.js";
import { type ShipmentLine, shipmentVerdicts } from "../domain/rows/shipmentVerdicts.js";
import type { RowOutcome } from "../events/importEvents.js";
import type { FileRow, ReadProgress } from "../ports/spreadsheets.js";
import type { OpenSubmission, SubmissionRequest } from "./openSubmission.js";
import { shownRowNumber } from "./shownRowNumber.js";

type RowVerdict =
  | { readonly values: object; readonly shipment?: number; readonly reason?: undefined }
  | (RowReason & { readonly values?: undefined; readonly element?: number | undefined });

export interface PreparedRows {
  readonly rows: number;
  readonly notes: readonly string[];
  /** `ordinal` counts the rows from 0. */
  verdict(row: FileRow, ordinal: number): RowVerdict;
}

/** Why this import may not record a row, whatever the row's values are. A `Map` from the rows' ordinals to reasons has this form. */
export interface Refusals {
  get(ordinal: number, row: FileRow): RowReason | undefined;
}

interface Preparation {
  readonly request: SubmissionRequest;
  readonly submission: OpenSubmission;
  readonly context: RowContext;
  readonly refusals: Refusals;
  /** Called with the fraction that has been read, from 0 to 1. It throws to stop the reading. */
  readonly onProgress: (fraction: number) => Promise<void>;
}

/**
 * Reads the whole submission once before any row is recorded. So a truncated file fails before anything is written, and a shipment's
 * lines are judged together wherever they stand in the file.
 */
export const prepareRows = (preparation: Preparation): Promise<PreparedRows> =>
  preparation.request.kind === "activities" ? prepareActivities(preparation) : prepareShipments(preparation);

async function prepareActivities({ submission, context, refusals, onProgress }: Preparation): Promise<PreparedRows> {
  const judge = activityJudge(submission.columns, context);
  let [rows, notes]: [number, readonly string[]] = [0, []];
  for await (const batch of submission.read()) {
    rows += batch.rows.length;
    notes = batch.notes;
    await onProgress(fractionRead(batch));
  }
  return {
    rows,
    notes: allNotes(submission, notes),
    verdict: (row, ordinal) => refusals.get(ordinal, row) ?? judge(row),
  };
}

async function prepareShipments({ request, submission, context, refusals, onProgress }: Preparation): Promise<PreparedRows> {
  const { columns } = submission;
  const judge = shipmentLineJudge(columns, context);
  // Lines of one element of a JSON push cannot contradict each other. In a file or a correction they can: each line has its own values.
  const builder = shipmentVerdicts(isJsonPush(request) ? [] : comparedColumns(columns, context.timezone));
  const elementOf = elementFinder(request, columns);
  const idColumn = columns.fields.indexOf("shipmentId");
  const lineOf = (row: FileRow, ordinal: number): ShipmentLine => {
    const { judged, origin, destination } = judge(row);
    const id = row.cells[idColumn];
    const shipmentId = typeof id === "string" ? id.trim() : "";
    const element = elementOf(row, ordinal);
    const grouping =
      element === undefined ? { key: shipmentId || undefined } : { key: `${element} ${shipmentId}`, pushElement: { element, shipmentId } };
    const { faults = [] } = refusals.get(ordinal, row) ?? judged;
    return { row: shownRowNumber(row, request.source), ...grouping, faults, cells: row.cells, origin, destination };
  };
  let notes: readonly string[] = [];
  let rows = 0;
  for await (const batch of submission.read()) {
    for (const row of batch.rows) builder.add(lineOf(row, rows++));
    notes = batch.notes;
    await onProgress(fractionRead(batch));
  }
  const verdicts = builder.close();
  return {
    rows: verdicts.rows,
    notes: allNotes(submission, notes),
    verdict(row, ordinal) {
      const reason = verdicts.reasonOf(ordinal, () => lineOf(row, ordinal));
      const element = elementOf(row, ordinal);
      if (reason !== undefined) return { ...reason, element };
      const { judged } = judge(row);
      if (judged.reason !== undefined) throw new Error(`row ${row.row} was judged differently the second time`);
      return { values: judged.values, shipment: verdicts.shipmentOf(ordinal) };
    },
  };
}

const isJsonPush = ({ source, corrects }: SubmissionRequest): boolean => source === "data" && corrects === undefined;

/**
 * Finds the element of a JSON push that a row comes from, identified by the number of the element's first row. Two elements with the same
 * shipmentId are two shipments. Undefined for a file, in which all lines with the same shipmentId are one shipment. A correction of a JSON
 * push has the elements of its rows in `corrects.push`.
 */
function elementFinder(request: SubmissionRequest, { fields }: Columns): (row: FileRow, ordinal: number) => number | undefined {
  if (!isJsonPush(request)) return (_, ordinal) => request.corrects?.push?.elements[ordinal];
  const column = fields.indexOf(elementColumn);
  const firstRows = new Map<unknown, number>();
  return (row) => {
    const [rowNumber, element] = [shownRowNumber(row, request.source), row.cells[column] || undefined];
    if (element === undefined) return rowNumber;
    const first = firstRows.get(element) ?? rowNumber;
    firstRows.set(element, first);
    return first;
  };
}

const allNotes = (submission: OpenSubmission, rowNotes: readonly string[]) => [...new Set([...submission.notes, ...rowNotes])];

const fractionRead = ({ bytesRead, bytesTotal }: ReadProgress): number => (bytesTotal === 0 ? 1 : bytesRead / bytesTotal);

/** Returns the function that makes the event to record for a row. */
export function outcomeMapper(
  request: SubmissionRequest,
  columns: Columns,
  prepared: PreparedRows,
): (row: FileRow, ordinal: number) => RowOutcome {
  const { kind, source } = request;
  const handleColumn = columns.fields.indexOf(kind === "shipments" ? "shipmentId" : "reference");
  return (fileRow, ordinal) => {
    const verdict = prepared.verdict(fileRow, ordinal);
    const row = shownRowNumber(fileRow, source);
    if (verdict.reason === undefined) {
      const values = verdict.values as Record<string, unknown>;
      return { type: "RowAccepted", data: verdict.shipment === undefined ? { row, values } : { row, shipment: verdict.shipment, values } };
    }
    const handle = storableText(cellText(fileRow.cells[handleColumn]).trim());
    const data = submittedValues(fileRow.cells, columns, source);
    const name = kind === "shipments" ? { shipmentId: handle } : { reference: handle === "" ? null : handle };
    const error = storableText(verdict.reason, limits.reasonBytes);
    const element = verdict.element === undefined ? {} : { element: verdict.element };
    return { type: "RowRejected", data: { row, ...name, error, ...recordedFaults(verdict), ...element, data } };
  };
}
