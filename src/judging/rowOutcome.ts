import { limits } from "../domain/imports/limits.js";
import { type Columns, cellText, storableText, submittedValues } from "../domain/rows/cells.js";
import { recordedFaults } from "../domain/rows/faults.js";
import type { RowOutcome } from "../events/importEvents.js";
import type { FileRow } from "../ports/spreadsheets.js";
import type { SubmissionRequest } from "./openSubmission.js";
import type { PreparedRows } from "./prepareRows.js";
import { shownRow } from "./shownRow.js";

/** The event that is recorded for a row. */
export function outcomeRecorder(
  request: SubmissionRequest,
  columns: Columns,
  prepared: PreparedRows,
): (row: FileRow, ordinal: number) => RowOutcome {
  const { kind, source } = request;
  const handleColumn = columns.fields.indexOf(kind === "shipments" ? "shipmentId" : "reference");
  return (fileRow, ordinal) => {
    const verdict = prepared.verdict(fileRow, ordinal);
    const row = shownRow(fileRow, source);
    if (verdict.reason === undefined) {
      const values = verdict.values as Record<string, unknown>;
      return { type: "RowAccepted", data: verdict.shipment === undefined ? { row, values } : { row, shipment: verdict.shipment, values } };
    }
    const handle = storableText(cellText(fileRow.cells[handleColumn]).trim());
    const data = submittedValues(fileRow.cells, columns, source);
    const named = kind === "shipments" ? { shipmentId: handle } : { reference: handle === "" ? null : handle };
    const error = storableText(verdict.reason, limits.reasonBytes);
    const element = verdict.element === undefined ? {} : { element: verdict.element };
    return { type: "RowRejected", data: { row, ...named, error, ...recordedFaults(verdict), ...element, data } };
  };
}
