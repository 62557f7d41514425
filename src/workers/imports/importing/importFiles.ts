// The files of an import: the submission, as it is fetched, and the error report, as it is written.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { reportColumns, reportSubject } from "../../../domain/files/header.js";
import { elementColumn } from "../../../domain/imports/fields.js";
import { type Columns, cellText } from "../../../domain/rows/cells.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import { ImportFault } from "../../../judging/importFault.js";
import type { SubmittedRow } from "../../../judging/openSubmission.js";
import { ObjectMissing } from "../../../portErrors.js";
import type { ObjectStore } from "../../../ports/objectStore.js";
import type { ReportWriter, Spreadsheets } from "../../../ports/spreadsheets.js";

/** Copies the submission from the object store to `path` and checks that it has the recorded checksum. */
export async function fetchSubmission(objectStore: ObjectStore, file: ImportRequested["file"], path: string): Promise<void> {
  try {
    await objectStore.fetch(file.key, path);
  } catch (error) {
    if (error instanceof ObjectMissing) throw new ImportFault("The submitted file is no longer stored. Send it again.");
    throw error;
  }
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  if (hash.digest("hex") !== file.sha256) {
    throw new ImportFault("The stored file is not the one that was sent: its checksum differs. Send it again.");
  }
}

export interface ErrorReport {
  add(row: SubmittedRow, number: number, reason: string): Promise<void>;
  /** Null when no row was added. */
  store(objectStore: ObjectStore, key: string): Promise<{ key: string; size: number } | null>;
  discard(): Promise<void>;
}

const contentType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** The rejected rows as a workbook with the submitted columns in their order, so that a corrected report can be uploaded as a file. */
export function errorReport(
  spreadsheets: Spreadsheets,
  columns: Columns,
  { path, importId }: { path: string; importId: string },
): ErrorReport {
  const shown = columns.fields.flatMap((field, index) => (field === undefined || field === elementColumn ? [] : [index]));
  let writer: ReportWriter | undefined;
  return {
    async add(row, number, reason) {
      const names = [...reportColumns, ...shown.map((index) => columns.names[index] ?? "")];
      writer ??= await spreadsheets.createReportWriter(path, { columns: names, subject: reportSubject(importId) });
      const cells = row.sent ?? row.cells;
      const values = shown.map((index) => cellText(cells[index]));
      await writer.add(number, reason, values);
    },
    async store(objectStore, key) {
      if (!writer) return null;
      await writer.close();
      writer = undefined;
      const { size } = await stat(path);
      await objectStore.put(key, path, { contentType });
      return { key, size };
    },
    async discard() {
      await writer?.discard();
    },
  };
}
