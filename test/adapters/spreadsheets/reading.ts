import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFileRows, readHeader } from "../../../src/adapters/spreadsheets/uploadedFile.js";
import type { FileRow, FileSource, ReadOptions } from "../../../src/ports/spreadsheets.js";

export type Read = { columns: readonly string[]; rows: FileRow[]; notes: readonly string[]; fault: string | null };

/** Runs `work` on a file with this content, then removes the file. */
export async function withFile<T>(content: Uint8Array | string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-sheets-"));
  try {
    const path = join(folder, "upload");
    await writeFile(path, content);
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Header and rows as the API and the worker get them, or the fault that stopped them. */
export async function readPath(path: FileSource, fileName = "upload", options: ReadOptions = {}): Promise<Read> {
  const read = { columns: [] as readonly string[], rows: [] as FileRow[], notes: [] as readonly string[], fault: null as string | null };
  try {
    const header = await readHeader(path, fileName);
    read.columns = header.columns;
    for await (const batch of readFileRows(path, { format: header.format, ...options })) {
      for (const row of batch.rows) read.rows.push(row);
      read.notes = batch.notes;
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "FileFault") throw error;
    read.fault = error.message;
  }
  return read;
}

export function readContent(content: Uint8Array | string, fileName?: string, options?: ReadOptions): Promise<Read> {
  return withFile(content, (path) => readPath(path, fileName, options));
}

/** The cells of each row, a faulty one as `!text: fault`, a faulty row with its fault last. */
export function cellsOf(read: Read): string[][] {
  return read.rows.map(({ cells, fault }) => [
    ...cells.map((cell) => (typeof cell === "string" ? cell : `!${cell.text}: ${cell.fault}`)),
    ...(fault === null ? [] : [`!${fault}`]),
  ]);
}
