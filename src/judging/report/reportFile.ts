import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { reportColumns, reportSubject } from "../../domain/files/header.js";
import { elementColumn } from "../../domain/imports/fields.js";
import { type Columns, cellText } from "../../domain/rows/cells.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { ReportWriter, Spreadsheets } from "../../ports/spreadsheets.js";
import type { SubmittedRow } from "../openSubmission.js";

const contentType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/**
 * Creates an error report: a workbook of rejected rows, which can be corrected and uploaded. It has the submitted columns in their order.
 * Without `importId` it is the report of a file that is only checked.
 */
export function createReportFile(
  spreadsheets: Spreadsheets,
  { names, fields }: Columns,
  { path, importId }: { readonly path: string; readonly importId?: string },
) {
  const shownColumns = fields.flatMap((field, index) => (field === undefined || field === elementColumn ? [] : [index]));
  const columns = [...reportColumns, ...shownColumns.map((index) => names[index] ?? "")];
  const checkedOnly = { subject: "", overflowAdvice: "correct these, and check the file again" };
  const identity = importId === undefined ? checkedOnly : { subject: reportSubject(importId) };
  let writer: ReportWriter | undefined;
  const openWriter = async () => {
    await mkdir(dirname(path), { recursive: true });
    writer ??= await spreadsheets.createReportWriter(path, { columns, ...identity });
    return writer;
  };
  return {
    async add({ cells, sent = cells }: SubmittedRow, number: number, reason: string): Promise<void> {
      await (writer ?? (await openWriter())).add(
        number,
        reason,
        shownColumns.map((index) => cellText(sent[index])),
      );
    },
    /** Completes the report, even if it has no rows. */
    async close(): Promise<void> {
      await (await openWriter()).close();
      writer = undefined;
    },
    /** Completes and stores the report. Null when no row was added. */
    async store(objectStore: ObjectStore, key: string): Promise<{ key: string; size: number } | null> {
      if (!writer) return null;
      await this.close();
      const { size } = await stat(path);
      await objectStore.put(key, path, { contentType });
      return { key, size };
    },
    /** Removes an incomplete report. Does nothing if the report is complete. */
    discard: async () => writer?.discard(),
  };
}
