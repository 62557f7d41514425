import { reportColumns } from "../domain/files/header.js";
import { type Columns, cellText } from "../domain/rows/cells.js";
import { type RowReason, reasonWithAdvice } from "../domain/rows/faults.js";
import type { Spreadsheets } from "../ports/spreadsheets.js";
import type { SubmittedRow } from "./openSubmission.js";

export interface RejectedFile {
  add(row: SubmittedRow, why: RowReason): Promise<void>;
  close(): Promise<void>;
}

const notHere = "correct these, and check the file again";

/** The rows of a checked file that its import would reject, as its error report would have them: under the file's own headings, in its order. */
export async function createRejectedFile(spreadsheets: Spreadsheets, reported: Columns, path: string): Promise<RejectedFile> {
  const shown = reported.fields.flatMap((field, index) => (field === undefined ? [] : [index]));
  const columns = [...reportColumns, ...shown.map((index) => reported.names[index] ?? "")];
  const writer = await spreadsheets.createReportWriter(path, { columns, subject: "", notHere });
  return {
    add: ({ row, cells, sent = cells }, why) =>
      writer.add(
        row,
        reasonWithAdvice(why),
        shown.map((index) => cellText(sent[index])),
      ),
    close: () => writer.close(),
  };
}
