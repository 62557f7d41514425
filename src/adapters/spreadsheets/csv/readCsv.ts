import { open } from "node:fs/promises";
import type { FileHeader, FileSource, ReadOptions, RowBatch } from "../../../ports/spreadsheets.js";
import { createRowReader, FileFault } from "../cell.js";
import { MAX_CSV_ROWS, MAX_ROW_CHARS } from "../limits.js";
import { decodeFile, type OpenFile, sniffEncoding } from "./encoding.js";
import { createTokenizer } from "./tokenizer.js";

/** Enough for the longest header row in any encoding. */
const HEADER_BYTES = 4 * MAX_ROW_CHARS;

export async function openSource(source: FileSource): Promise<OpenFile> {
  if (typeof source === "string") return open(source);
  return {
    stat: async () => ({ size: source.length }),
    read: async (buffer, offset, length, position) => ({ buffer, bytesRead: source.copy(buffer, offset, position, position + length) }),
    close: async () => undefined,
  };
}

export async function readCsvHeader(source: FileSource, signal?: AbortSignal): Promise<FileHeader> {
  for await (const { columns, notes } of parse(source, HEADER_BYTES, signal)) if (columns) return { format: "csv", columns, notes };
  return noHeader();
}

export async function* readCsvRows(source: FileSource, { signal }: ReadOptions): AsyncGenerator<RowBatch> {
  let header: readonly string[] | undefined;
  for await (const { columns, ...batch } of parse(source, Number.POSITIVE_INFINITY, signal)) {
    header = columns;
    yield batch;
  }
  if (!header) noHeader();
}

/** Reads the file piece by piece, up to `maxBytes`. `columns` is undefined until the header row has been read. */
async function* parse(source: FileSource, maxBytes: number, signal?: AbortSignal) {
  const file = await openSource(source);
  let rows = 0;
  const reader = createRowReader(() => {
    rows += 1;
    if (rows > MAX_CSV_ROWS)
      throw new FileFault(`The file has more than ${MAX_CSV_ROWS.toLocaleString("en")} rows. Split it into several files.`);
  });
  try {
    const bytesTotal = Math.min((await file.stat()).size, maxBytes);
    const sniffed = await sniffEncoding(file, bytesTotal, signal);
    let addText: ReturnType<typeof createTokenizer> | undefined;
    for await (const { text, bytesRead, final } of decodeFile(file, sniffed, bytesTotal, signal)) {
      let content = text;
      if (!addText) {
        const { delimiter, skip } = detectDialect(text);
        addText = createTokenizer(delimiter, reader.add);
        content = text.slice(skip);
      }
      addText(content, final);
      yield { columns: reader.columns(), rows: reader.take(), bytesRead, bytesTotal, notes: sniffed.notes };
    }
  } finally {
    await file.close();
  }
}

function noHeader(): never {
  throw new FileFault("The file is empty: it has no header row.");
}

const DELIMITERS = [",", ";", "\t", "|"] as const;
const SEPARATOR_LINE = /^"?sep=([^\r\n]{0,3}?)"?(?:\r\n|\r|\n|$)/i;

/**
 * Finds the delimiter: the one that Excel's `sep=` line names, or else the most frequent one in the first row, as far as `start` has it.
 * `skip` is the length of the `sep=` line, or 0.
 */
function detectDialect(start: string): { delimiter: string; skip: number } {
  const declared = SEPARATOR_LINE.exec(start);
  if (!declared) return { delimiter: commonestDelimiter(start), skip: 0 };
  const delimiter = declared[1] ?? "";
  if (delimiter.length !== 1 || /[\p{L}\p{N}"\0\ufeff ]/u.test(delimiter)) {
    throw new FileFault("The sep= line must name one separator, such as sep=; or sep=, and nothing else.");
  }
  return { delimiter, skip: declared[0].length };
}

function commonestDelimiter(start: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let inQuotes = false;
  let sawContent = false;
  for (const char of start) {
    if (char === '"') inQuotes = !inQuotes;
    if (inQuotes) continue;
    if (char === "\n" || char === "\r") {
      if (sawContent) break; // blank lines above the header are skipped
      continue;
    }
    if (char.trim() !== "") sawContent = true;
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return DELIMITERS.reduce((best, delimiter) => ((counts.get(delimiter) ?? 0) > (counts.get(best) ?? 0) ? delimiter : best));
}
