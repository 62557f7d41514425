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
import { CELL_STYLES, partsOf, sheetEnd, sheetStart, xmlText } from "./workbookParts.js";

/** After this many rows the writer gives way, since the process serves requests meanwhile. */
const ROWS_AT_ONCE = 100;
/** Rows are packed this much at a time. */
const CHARS_AT_ONCE = 64 * 1024;
/** Beyond 4 GiB not every program opens a sheet. What remains is more than any row needs. */
const MAX_SHEET_BYTES = 4 * 1024 ** 3 - 256 * 1024 ** 2;

type TableOptions = Parameters<Spreadsheets["createTableWriter"]>[1] & {
  /** Of the first columns. */
  readonly widths?: readonly number[];
  /** What the sheet's last row says if rows did not fit. */
  readonly lastRow?: (leftOut: number) => readonly string[];
};

type WorkbookCell = string | number | WallTime;

/** Writes a workbook of one sheet in flat memory: `add` waits until the output has taken the earlier rows. Fails when the output fails. */
export function createTableWriter(
  output: Writable,
  { sheet: sheetName, columns: headings, widths = [], texts, subject = "", lastRow = csvHasAll }: TableOptions,
): TableWriter {
  const columns = headings.map((_, index) => ({
    letters: lettersOf(index),
    width: widths[index] ?? 20,
    isText: texts?.has(index) === true,
  }));
  const sheet = zippedSheet(output, partsOf({ sheetName, subject }));
  let text = sheetStart(columns);
  let [bytes, rows, added, leftOut] = [0, 0, 0, 0];

  function flush(): void {
    const piece = Buffer.from(text);
    text = "";
    bytes += piece.length;
    sheet.packed.write(piece);
  }

  /** Texts stay texts, empty ones are left out. */
  function write(cells: readonly WorkbookCell[], ofTexts?: number): void {
    rows += 1;
    let xml = `<row r="${rows}">`;
    for (const [index, { letters, isText }] of columns.entries()) {
      const cell = cells[index] ?? "";
      if (cell !== "") xml += cellXml(`${letters}${rows}`, cell, ofTexts, isText);
    }
    text += `${xml}</row>`;
    if (text.length >= CHARS_AT_ONCE) flush();
  }

  write(headings, CELL_STYLES.heading);
  return {
    async add(cells) {
      // One row always remains for the note on rows that do not fit.
      if (rows >= MAX_WRITTEN_ROWS || bytes > MAX_SHEET_BYTES) leftOut += 1;
      else write(cells);
      added += 1;
      await sheet.drained();
      if (added % ROWS_AT_ONCE === 0) await setImmediate();
    },
    async close() {
      if (leftOut > 0) write(lastRow(leftOut));
      text += sheetEnd;
      flush();
      sheet.packed.end();
      await sheet.sent;
    },
    async abort() {
      output.destroy();
      if (!output.closed) await once(output, "close").catch(() => {}); // a failed write was reported to the call that waited for it
    },
  };
}

const csvHasAll = (leftOut: number) => [`${leftOut} more rows do not fit into a sheet; the CSV file has them all`];

/** Of the row number and the reason. */
const widths = [12, 48];

/** Writes the rejected rows as a workbook, in flat memory. Either `close` or `discard` must follow. */
export async function createReportWriter(
  path: string,
  { columns, subject, notHere = "the API lists them all" }: { columns: readonly string[]; subject: string; notHere?: string },
): Promise<ReportWriter> {
  const file = createWriteStream(path);
  await once(file, "open");
  const table = createTableWriter(file, {
    sheet: "Rejected rows",
    columns,
    widths,
    texts: new Set(columns.keys()),
    subject,
    lastRow: (leftOut) => ["", `${leftOut} more rejected rows do not fit here; ${notHere}`],
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

function cellXml(place: string, cell: WorkbookCell, ofTexts: number | undefined, isText: boolean): string {
  if (typeof cell === "string") {
    if (isPlain(cell)) return `<c r="${place}" s="${ofTexts ?? CELL_STYLES.text}" t="str"><v>${cell}</v></c>`;
    const start = `<c r="${place}" s="${ofTexts ?? (looksLikeFormula(cell) ? CELL_STYLES.formulaLike : CELL_STYLES.text)}"`;
    const text = xmlText(storedCellText(cell));
    // Blanks at the start and end, and line breaks, are kept only where the markup says so.
    return /^\s|\n|\s$/.test(text)
      ? `${start} t="inlineStr"><is><r><t xml:space="preserve">${text}</t></r></is></c>`
      : `${start} t="str"><v>${text}</v></c>`;
  }
  if (typeof cell === "number") return `<c r="${place}"${isText ? ` s="${CELL_STYLES.text}"` : ""}><v>${cell}</v></c>`;
  const hasClock = cell.wallTime.includes("T");
  const days = Date.parse(`${cell.wallTime}${hasClock ? "Z" : "T00:00:00Z"}`) / 86_400_000;
  return `<c r="${place}" s="${hasClock ? CELL_STYLES.dateAndTime : CELL_STYLES.date}"><v>${days + DAYS_TO_1970}</v></c>`;
}

/** Workbooks count days from 30 December 1899. */
const DAYS_TO_1970 = 25_569;

/** A column's name: A to Z, then AA. */
const lettersOf = (index: number): string =>
  (index < 26 ? "" : lettersOf(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

/** Measured on 12 MB of rows: an eighth larger than with the usual level, in two fifths of its time. */
const compressionLevel = constants.Z_BEST_SPEED;
/** The same rows are the same bytes: an entry's time is the first that the format knows, not the present. */
const entry = { compressionLevel, mtime: new Date(1980, 0, 1) };

/** Writes the workbook's archive to `output`: the small parts, then the sheet, which is packed as it comes, with back-pressure. */
function zippedSheet(output: Writable, parts: ReturnType<typeof partsOf>) {
  const zip = new ZipFile();
  const packed = new PassThrough({ highWaterMark: CHARS_AT_ONCE });
  const failure = new AbortController();
  const sent = pipeline(zip.outputStream, output);
  let draining: Promise<unknown> | undefined;
  sent.catch((error: unknown) => {
    failure.abort(error);
    packed.destroy();
  });
  for (const [name, xml] of parts) zip.addBuffer(Buffer.from(xml), name, entry);
  zip.addReadStream(packed, "xl/worksheets/sheet1.xml", entry);
  zip.end();
  return {
    packed,
    /** Resolves when the output is closed. */
    sent,
    /** Resolves when the output can take more. Fails when the output has failed. All callers wait for one event: thousands may wait. */
    async drained(): Promise<void> {
      failure.signal.throwIfAborted();
      if (!packed.writableNeedDrain) return;
      draining ??= once(packed, "drain", { signal: failure.signal }).finally(() => {
        draining = undefined;
      });
      await draining.catch((error: unknown) => {
        failure.signal.throwIfAborted();
        throw error;
      });
    },
  };
}
