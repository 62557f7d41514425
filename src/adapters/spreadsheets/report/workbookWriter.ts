import { once } from "node:events";
import { PassThrough, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants } from "node:zlib";
import { ZipFile } from "yazl";
import type { WallTime } from "../../../ports/spreadsheets.js";
import { MAX_SHEET_ROWS } from "../limits.js";
import { isPlain, looksLikeFormula, storedCellText } from "./cellText.js";
import { CELL_STYLES, partsOf, sheetEnd, sheetStart, type WorkbookColumn, xmlText } from "./workbookParts.js";

export type WorkbookCell = string | number | WallTime;

export interface WorkbookWriter {
  /** Adds a row. Texts stay texts, empty ones are left out. False: the sheet is full and the row is not in it. One row always remains for `addLast`. */
  add(cells: readonly WorkbookCell[]): boolean;
  addLast(cells: readonly WorkbookCell[]): void;
  /** Resolves when the output can take more. */
  drained(): Promise<void>;
  finish(): Promise<void>;
  /** Gives up the workbook and destroys the output. */
  abort(): Promise<void>;
}

/** Rows are packed this much at a time. */
const CHARS_AT_ONCE = 64 * 1024;
/** Beyond 4 GiB not every program opens a sheet. What remains is more than any row needs. */
const MAX_SHEET_BYTES = 4 * 1024 ** 3 - 256 * 1024 ** 2;

interface WorkbookOptions {
  readonly sheetName: string;
  readonly subject: string;
  readonly headings: readonly string[];
  readonly columns: readonly WorkbookColumn[];
}

/** Writes a workbook of one sheet in flat memory. Fails when the output fails. */
export function createWorkbookWriter(output: Writable, options: WorkbookOptions): WorkbookWriter {
  const { headings, columns } = options;
  const zip = createZipWriter(output, "xl/worksheets/sheet1.xml");
  for (const [name, xml] of partsOf(options)) zip.add(name, Buffer.from(xml));
  let text = sheetStart(columns);
  let bytes = 0;
  let rows = 0;
  const letters = columns.map((_, index) => lettersOf(index));

  function flush(): void {
    const piece = Buffer.from(text);
    text = "";
    bytes += piece.length;
    zip.write(piece);
  }

  function write(cells: readonly WorkbookCell[], ofTexts?: number): void {
    rows += 1;
    let xml = `<row r="${rows}">`;
    for (let index = 0; index < columns.length; index += 1) {
      const cell = cells[index] ?? "";
      if (cell !== "") xml += cellXml(`${letters[index]}${rows}`, cell, ofTexts, columns[index]?.isText === true);
    }
    text += `${xml}</row>`;
    if (text.length >= CHARS_AT_ONCE) flush();
  }

  write(headings, CELL_STYLES.heading);
  return {
    add(cells) {
      if (rows >= MAX_SHEET_ROWS || bytes > MAX_SHEET_BYTES) return false;
      write(cells);
      return true;
    },
    addLast: (cells) => write(cells),
    drained: zip.drained,
    async finish() {
      text += sheetEnd;
      flush();
      await zip.finish();
    },
    async abort() {
      output.destroy();
      if (!output.closed) await once(output, "close").catch(() => {}); // a failed write was reported to the call that waited for it
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

interface ZipWriter {
  /** Adds a small entry. */
  add(name: string, bytes: Buffer): void;
  /** Adds to the last entry. The output may need time: see `drained`. */
  write(bytes: Uint8Array): void;
  /** Resolves when the output can take more. Fails when the output has failed. */
  drained(): Promise<void>;
  /** Finishes the archive and resolves when the output is closed. */
  finish(): Promise<void>;
}

/** Measured on 12 MB of rows: an eighth larger than with the usual level, in two fifths of its time. */
const compressionLevel = constants.Z_BEST_SPEED;
/** The same rows are the same bytes: an entry's time is the first that the format knows, not the present. */
const entry = { compressionLevel, mtime: new Date(1980, 0, 1) };

/** Writes an archive to `output`: small entries, then one of any size that is packed as it goes, with back-pressure. */
function createZipWriter(output: Writable, lastName: string): ZipWriter {
  const zip = new ZipFile();
  const last = new PassThrough({ highWaterMark: 64 * 1024 });
  const failure = new AbortController();
  const sent = pipeline(zip.outputStream, output);
  sent.catch((error: unknown) => {
    failure.abort(error);
    last.destroy();
  });
  let hasBegun = false;
  let draining: Promise<unknown> | undefined;
  return {
    add: (name, bytes) => zip.addBuffer(bytes, name, entry),
    write(bytes) {
      if (!hasBegun) {
        zip.addReadStream(last, lastName, entry);
        zip.end();
      }
      hasBegun = true;
      last.write(bytes);
    },
    async drained() {
      failure.signal.throwIfAborted();
      if (!last.writableNeedDrain) return;
      draining ??= once(last, "drain", { signal: failure.signal })
        .catch((error: unknown) => {
          failure.signal.throwIfAborted();
          throw error;
        })
        .finally(() => {
          draining = undefined;
        });
      await draining;
    },
    async finish() {
      last.end();
      await sent;
    },
  };
}
