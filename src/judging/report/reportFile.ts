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
 * An error report: rejected rows as a workbook with the submitted columns in their order, so that a corrected report can be uploaded as a file.
 * Without `importId` it is of a file that is only checked.
 */
export function createReportFile(
  spreadsheets: Spreadsheets,
  { names, fields }: Columns,
  { path, importId }: { readonly path: string; readonly importId?: string },
) {
  const shown = fields.flatMap((field, index) => (field === undefined || field === elementColumn ? [] : [index]));
  const columns = [...reportColumns, ...shown.map((index) => names[index] ?? "")];
  const about =
    importId === undefined ? { subject: "", notHere: "correct these, and check the file again" } : { subject: reportSubject(importId) };
  let writer: ReportWriter | undefined;
  const begin = async () => {
    await mkdir(dirname(path), { recursive: true });
    writer ??= await spreadsheets.createReportWriter(path, { columns, ...about });
    return writer;
  };
  return {
    async add({ cells, sent = cells }: SubmittedRow, number: number, reason: string): Promise<void> {
      await (writer ?? (await begin())).add(
        number,
        reason,
        shown.map((index) => cellText(sent[index])),
      );
    },
    /** Writes it also where no row was added. */
    async close(): Promise<void> {
      await (await begin()).close();
      writer = undefined;
    },
    /** Null when no row was added. */
    async store(objectStore: ObjectStore, key: string): Promise<{ key: string; size: number } | null> {
      if (!writer) return null;
      await this.close();
      const { size } = await stat(path);
      await objectStore.put(key, path, { contentType });
      return { key, size };
    },
    /** Does nothing once it is closed. */
    discard: async () => writer?.discard(),
  };
}
