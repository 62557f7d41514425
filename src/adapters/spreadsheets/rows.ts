import { open } from "node:fs/promises";
import type { FileFormat, FileHeader, ReadOptions, RowBatch } from "../../ports/spreadsheets.js";
import { readCsvHeader, readCsvRows } from "./csv/readCsv.js";
import { DETECT_BYTES, detectFormat } from "./detectFormat.js";
import { readXlsxHeader, readXlsxRows } from "./xlsx/readXlsx.js";

/** Reads the header row and no more. Throws a `FileFault` when there is none. */
export async function readHeader(path: string, fileName: string, signal?: AbortSignal): Promise<FileHeader> {
  const format = await formatOf(path, fileName);
  return format === "csv" ? readCsvHeader(path, signal) : readXlsxHeader(path, signal);
}

/** The rows below the header, in batches; throws a `FileFault` when the file turns out to be unusable. */
export async function* readRows(path: string, options: ReadOptions = {}): AsyncGenerator<RowBatch> {
  const format = options.format ?? (await formatOf(path, ""));
  yield* format === "csv" ? readCsvRows(path, options) : readXlsxRows(path, options);
}

async function formatOf(path: string, fileName: string): Promise<FileFormat> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(DETECT_BYTES), 0, DETECT_BYTES, 0);
    return detectFormat(buffer.subarray(0, bytesRead), fileName);
  } finally {
    await file.close();
  }
}
