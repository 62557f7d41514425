import { type FileHandle, open } from "node:fs/promises";
import type { FileHeader, FileRow, ReadOptions, RowBatch } from "../../../ports.js";
import { type Cell, isBlankRow } from "../cell.js";
import { FileFault } from "../fileFault.js";
import { MAX_ROW_CHARS } from "../limits.js";
import { createRowShaper, headerNames } from "../shapeRow.js";
import { decodeFile } from "./decode.js";
import { detectDialect } from "./dialect.js";
import { sniffEncoding } from "./encoding.js";
import { createRecordReader, type RecordReader } from "./records.js";

/** Enough for the longest header row in any encoding. */
const HEADER_BYTES = 4 * MAX_ROW_CHARS;

type Sheet = { columns: string[] | null; rows: FileRow[] };

export async function readCsvHeader(path: string, signal?: AbortSignal): Promise<FileHeader> {
  const file = await open(path);
  try {
    const size = Math.min((await file.stat()).size, HEADER_BYTES);
    const sheet: Sheet = { columns: null, rows: [] };
    const notes: string[] = [];
    for await (const { found } of parse(file, size, sheet, notes, signal)) if (found) break;
    return { format: "csv", columns: sheet.columns ?? noHeader(), notes };
  } finally {
    await file.close();
  }
}

export async function* readCsvRows(path: string, { signal }: ReadOptions): AsyncGenerator<RowBatch> {
  const file = await open(path);
  try {
    const bytesTotal = (await file.stat()).size;
    const sheet: Sheet = { columns: null, rows: [] };
    const notes: string[] = [];
    for await (const { bytesRead } of parse(file, bytesTotal, sheet, notes, signal)) {
      if (sheet.rows.length === 0) continue;
      yield { rows: sheet.rows, bytesRead, bytesTotal, notes };
      sheet.rows = [];
    }
    if (!sheet.columns) noHeader();
  } finally {
    await file.close();
  }
}

/** Fills `sheet` piece by piece; the caller takes the rows out. */
async function* parse(file: FileHandle, size: number, sheet: Sheet, notes: string[], signal?: AbortSignal) {
  const sniffed = await sniffEncoding(file, size, signal);
  notes.push(...sniffed.notes);
  let records: RecordReader | null = null;
  for await (const { text, bytesRead, final } of decodeFile(file, sniffed, size, signal)) {
    let fresh = text;
    if (!records) {
      const dialect = detectDialect(text);
      records = createRecordReader(dialect.delimiter, collectInto(sheet));
      fresh = text.slice(dialect.skip);
    }
    records.push(fresh, final);
    yield { found: sheet.columns !== null, bytesRead };
  }
}

/** The first row that is not blank is the header; blank rows are left out but counted. */
function collectInto(sheet: Sheet): (row: number, cells: Cell[]) => void {
  let shape: ReturnType<typeof createRowShaper> | null = null;
  return (row, cells) => {
    if (cells[0] === "" || typeof cells[0] !== "string" ? isBlankRow(cells) : cells[0].trim() === "" && isBlankRow(cells)) return;
    if (shape) {
      sheet.rows.push(shape(row, cells));
      return;
    }
    sheet.columns = headerNames(cells, row);
    shape = createRowShaper(sheet.columns);
  };
}

function noHeader(): never {
  throw new FileFault("The file is empty: it has no header row.");
}
