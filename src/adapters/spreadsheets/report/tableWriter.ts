import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { PassThrough, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { constants } from "node:zlib";
import { ZipFile } from "yazl";
import type { ReportWriter, Spreadsheets, TableWriter, WallTime } from "../../../ports/spreadsheets.js";
import { MAX_WRITTEN_ROWS } from "../limits.js";
import { isPlain, looksLikeFormula, storedCellText } from "./cellText.js";
import { CELL_STYLES, partsBesideSheet, sheetEnd, sheetStart, xmlText } from "./workbookParts.js";

/** After this many rows the writer yields to the event loop, since the process also serves requests. */
const ROWS_PER_TURN = 100;
/** How much of the sheet's XML is compressed at a time. */
const CHARS_PER_FLUSH = 64 * 1024;
/** Not every program opens a sheet of more than 4 GiB. The margin is larger than any row. */
const MAX_SHEET_BYTES = 4 * 1024 ** 3 - 256 * 1024 ** 2;

type TableOptions = Parameters<Spreadsheets["createTableWriter"]>[1] & {
  /** The widths of the first columns, in characters. Every other column has 20. */
  readonly widths?: readonly number[];
  /** The cells of the sheet's last row if rows did not fit. */
  readonly lastRow?: (omittedRows: number) => readonly string[];
};

type WorkbookCell = string | number | WallTime;

/** Writes a workbook of one sheet in constant memory: `add` waits until the output takes the earlier rows. Fails when the output fails. */
export function createTableWriter(
  output: Writable,
  { sheet: sheetName, columns: headings, widths = [], textColumns, subject = "", lastRow = csvNote }: TableOptions,
): TableWriter {
  const columns = headings.map((_, index) => ({
    letters: columnLetters(index),
    width: widths[index] ?? 20,
    isText: textColumns?.has(index) === true,
  }));
  const sheet = createZippedSheet(output, partsBesideSheet({ sheetName, subject }));
  let text = sheetStart(columns);
  let [bytes, rows, added, omittedRows] = [0, 0, 0, 0];

  function flush(): void {
    const piece = Buffer.from(text);
    text = "";
    bytes += piece.length;
    sheet.sheetInput.write(piece);
  }

  /** Writes one row, without its empty cells. Texts stay texts. */
  function writeRow(cells: readonly WorkbookCell[], textStyle?: number): void {
    rows += 1;
    let xml = `<row r="${rows}">`;
    for (const [index, { letters, isText }] of columns.entries()) {
      const cell = cells[index] ?? "";
      if (cell !== "") xml += cellXml(`${letters}${rows}`, cell, textStyle, isText);
    }
    text += `${xml}</row>`;
    if (text.length >= CHARS_PER_FLUSH) flush();
  }

  writeRow(headings, CELL_STYLES.heading);
  return {
    async add(cells) {
      // One row is always kept free for the note about rows that do not fit.
      if (rows >= MAX_WRITTEN_ROWS || bytes > MAX_SHEET_BYTES) omittedRows += 1;
      else writeRow(cells);
      added += 1;
      await sheet.waitForDrain();
      if (added % ROWS_PER_TURN === 0) await setImmediate();
    },
    async close() {
      if (omittedRows > 0) writeRow(lastRow(omittedRows));
      text += sheetEnd;
      flush();
      sheet.sheetInput.end();
      await sheet.finished;
    },
    async abort() {
      output.destroy();
      if (!output.closed) await once(output, "close").catch(() => {}); // a failed write was reported to the call that waited for it
    },
  };
}

const csvNote = (omittedRows: number) => [`${omittedRows} more rows do not fit into a sheet; the CSV file has them all`];

/** The widths of the columns for the row number and the reason. */
const reportWidths = [12, 48];

/** Writes rejected rows as a workbook, in constant memory. The caller must end with `close` or `discard`. */
export async function createReportWriter(
  path: string,
  { columns, subject, overflowAdvice = "the API lists them all" }: { columns: readonly string[]; subject: string; overflowAdvice?: string },
): Promise<ReportWriter> {
  const file = createWriteStream(path);
  await once(file, "open");
  const table = createTableWriter(file, {
    sheet: "Rejected rows",
    columns,
    widths: reportWidths,
    textColumns: new Set(columns.keys()),
    subject,
    lastRow: (omittedRows) => ["", `${omittedRows} more rejected rows do not fit here; ${overflowAdvice}`],
  });
  return {
    add: (row, reason, values) => table.add([String(row), reason, ...values]),
    close: table.close,
    async discard() {
      await table.abort();
      await rm(path, { force: true });
    },
  };
}

function cellXml(reference: string, cell: WorkbookCell, textStyle: number | undefined, isText: boolean): string {
  if (typeof cell === "string") {
    if (isPlain(cell)) return `<c r="${reference}" s="${textStyle ?? CELL_STYLES.text}" t="str"><v>${cell}</v></c>`;
    const start = `<c r="${reference}" s="${textStyle ?? (looksLikeFormula(cell) ? CELL_STYLES.formulaLike : CELL_STYLES.text)}"`;
    const text = xmlText(storedCellText(cell));
    // Programs keep blanks at the start and end, and line breaks, only where the markup says so.
    return /^\s|\n|\s$/.test(text)
      ? `${start} t="inlineStr"><is><r><t xml:space="preserve">${text}</t></r></is></c>`
      : `${start} t="str"><v>${text}</v></c>`;
  }
  if (typeof cell === "number") return `<c r="${reference}"${isText ? ` s="${CELL_STYLES.text}"` : ""}><v>${cell}</v></c>`;
  const hasClock = cell.wallTime.includes("T");
  const days = Date.parse(`${cell.wallTime}${hasClock ? "Z" : "T00:00:00Z"}`) / 86_400_000;
  return `<c r="${reference}" s="${hasClock ? CELL_STYLES.dateAndTime : CELL_STYLES.date}"><v>${days + DAYS_TO_1970}</v></c>`;
}

/** Workbooks count days from 30 December 1899. */
const DAYS_TO_1970 = 25_569;

/** A column's name: A to Z, then AA. */
const columnLetters = (index: number): string =>
  (index < 26 ? "" : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

/** The fastest level. With 12 MB of rows, writing took 40% of the time of the default level, and the file was an eighth larger. */
const compressionLevel = constants.Z_BEST_SPEED;
/** The same rows must give the same bytes, so an entry's time is the earliest that the format knows, not the present. */
const entryOptions = { compressionLevel, mtime: new Date(1980, 0, 1) };

/** Writes the workbook's archive to `output`: the small parts, then the sheet, which is compressed as it arrives, with back-pressure. */
function createZippedSheet(output: Writable, parts: ReturnType<typeof partsBesideSheet>) {
  const zip = new ZipFile();
  const sheetInput = new PassThrough({ highWaterMark: CHARS_PER_FLUSH });
  const failure = new AbortController();
  const finished = pipeline(zip.outputStream, output);
  let draining: Promise<unknown> | undefined;
  finished.catch((error: unknown) => {
    failure.abort(error);
    sheetInput.destroy();
  });
  for (const [name, xml] of parts) zip.addBuffer(Buffer.from(xml), name, entryOptions);
  zip.addReadStream(sheetInput, "xl/worksheets/sheet1.xml", entryOptions);
  zip.end();
  return {
    sheetInput,
    /** Resolves when the output is closed. */
    finished,
    /** Resolves when the output can take more, and fails if it has failed. All callers share one listener, since thousands may wait. */
    async waitForDrain(): Promise<void> {
      failure.signal.throwIfAborted();
      if (!sheetInput.writableNeedDrain) return;
      draining ??= once(sheetInput, "drain", { signal: failure.signal }).finally(() => {
        draining = undefined;
      });
      await draining.catch((error: unknown) => {
        failure.signal.throwIfAborted();
        throw error;
      });
    },
  };
}
