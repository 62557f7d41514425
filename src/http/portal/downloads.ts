// Files that are made while they are sent: a piece is made when the browser has taken the one before. Tables, as CSV and XLSX, are made of
// rows as they come, at a pace that leaves the cores to other requests.
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as nextIteration, setTimeout as pause } from "node:timers/promises";
import type { CopiedRows, CsvCell, Spreadsheets, WallTime } from "../../ports/spreadsheets.js";
import { createSlots, type Slots } from "../../slots.js";
import { answerInTime, onClientLeft, readPatienceMs } from "../server/answerInTime.js";
import type { PortalDeps, SignedInVisit } from "./pageDefinition.js";

/** Each download holds a connection to the database. */
export const boundDownloads = (): Slots =>
  createSlots({ inAll: 4, each: 2, refusal: "Other downloads are running. Try again when they have finished" });

export type Pieces = AsyncGenerator<Uint8Array>;

export interface DownloadedFile {
  readonly name: string;
  readonly contentType: string;
  /** Begins the file. The pieces free what they hold when they end, fail, or are given up by `return`. */
  readonly pieces: () => Pieces;
}

/** The longest that a download may take. */
export const longestMs = 15 * 60 * 1000;

/**
 * Waits for the first piece, so that an error at the start is answered with a page and not with a broken file. However a download ends, what
 * the pieces hold is freed, and then its slot.
 */
export async function download(visit: SignedInVisit, slots: Slots, { name, contentType, pieces }: DownloadedFile): Promise<Response> {
  const { context: c, person } = visit;
  const release = slots.takeNow(person.organisationId);
  const stream = Readable.from(pieces());
  const late = setTimeout(() => stream.destroy(new Error(`the download of ${name} took too long`)), longestMs).unref();
  stream.on("close", () => {
    clearTimeout(late);
    release();
  });
  stream.on("error", () => undefined); // whoever reads it gets the error too
  onClientLeft(c.req.raw.signal, (left) => stream.destroy(left));
  try {
    await answerInTime(once(stream, "readable"), readPatienceMs - 500, `download ${name}`);
  } catch (error) {
    stream.destroy();
    throw error;
  }
  return c.body(Readable.toWeb(stream) as ReadableStream<Uint8Array>, 200, {
    ...c.get("answerHeaders"),
    "content-type": contentType,
    "content-disposition": `attachment; filename="${name}"`,
  });
}

/** The formats of tables, by the ending of a file's name. */
export const tableFormats = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;
export type TableFormat = keyof typeof tableFormats;

interface TableFile {
  /** Without its ending. */
  readonly name: string;
  readonly sheet: string;
  readonly format: TableFormat;
  readonly table: () => DownloadedTable;
}

export function downloadTable(visit: SignedInVisit, deps: PortalDeps, { name, sheet, format, table }: TableFile): Promise<Response> {
  const { spreadsheets, downloads } = deps;
  const started = performance.now();
  const latestRequestAt = visit.context.get("latestRequestAt");
  const restMs = () => {
    const now = performance.now();
    const isBusy = latestRequestAt() > Math.max(started, now - recentMs);
    return restOf({ isBusy, running: downloads.countHeld(), ranMs: now - started }) / parts;
  };
  const parts = format === "csv" ? 1 : partsForWorkbook;
  const pieces = () => {
    const begun = table();
    const paced = { ...begun, rows: pacedRows(parts === 1 ? begun.rows : inParts(begun.rows, parts), restMs) };
    return format === "csv" ? csvPieces(spreadsheets, paced) : workbookPieces(spreadsheets, sheet, paced);
  };
  return download(visit, downloads, { name: `${name}.${format}`, contentType: tableFormats[format], pieces });
}

const recentMs = 250;
const restWhileBusyMs = 16;

/**
 * How long a download rests after some rows. While requests come it leaves the cores to them, and several downloads together take no more of
 * them than one. Postgres, which takes most of the time to make the rows, then waits too. A long download has to end in time.
 */
export const restOf = ({ isBusy, running, ranMs }: { isBusy: boolean; running: number; ranMs: number }): number =>
  isBusy && ranMs < longestMs / 2 ? restWhileBusyMs * running : 0;

/** A workbook's rows take five times as long to write as those of a CSV, and a quote waits for them at each of its steps. */
const partsForWorkbook = 4;

/** The same rows. Copied ones come in about so many parts, each of whole lines. */
export async function* inParts(rows: DownloadedTable["rows"], parts: number): DownloadedTable["rows"] {
  for await (const some of rows) {
    if (!("lines" in some)) {
      yield some;
      continue;
    }
    const { lines } = some;
    const most = Math.ceil(lines.length / parts);
    for (let from = 0, end = 0; from < lines.length; from = end) {
      end = lines.indexOf("\n", Math.min(from + most, lines.length) - 1) + 1;
      yield { ...some, lines: lines.subarray(from, end) };
    }
  }
}

/** The rows as they are taken; before the next ones are read, requests that came meanwhile are served. */
export async function* pacedRows(rows: DownloadedTable["rows"], restMs: () => number): DownloadedTable["rows"] {
  for await (const some of rows) {
    yield some;
    const ms = restMs();
    await (ms > 0 ? pause(ms) : nextIteration());
  }
}

type WorkbookOptions = Parameters<Spreadsheets["createTableWriter"]>[1];
type Rows = readonly (readonly CsvCell[])[] | CopiedRows;

/** Rows in the order of `columns`, some at a time. */
export interface DownloadedTable extends Omit<WorkbookOptions, "sheet"> {
  readonly rows: AsyncGenerator<Rows>;
}

/** Rows that are all there. */
export async function* inOneBatch<Some>(rows: Some): AsyncGenerator<Some> {
  yield rows;
}

/** The headings come with the first rows: if these cannot be read, nothing was sent yet. */
export async function* csvPieces({ csvLine, copiedCsv }: Pick<Spreadsheets, "csvLine" | "copiedCsv">, { columns, rows }: DownloadedTable) {
  const csvOf = (some: Rows) => ("lines" in some ? copiedCsv(some) : Buffer.from(some.map((cells) => csvLine(cells)).join("")));
  let headings: Uint8Array | undefined = Buffer.from(csvLine(columns));
  for await (const some of rows) {
    yield headings ? Buffer.concat([headings, csvOf(some)]) : csvOf(some);
    headings = undefined;
  }
  if (headings) yield headings;
}

/** A workbook's numbers are exact to 15 digits; longer ones are texts there. */
const workbookCell = (value: CsvCell): string | number | WallTime =>
  typeof value === "string" || "wallTime" in value
    ? value
    : value.decimal.length <= 15 || value.decimal.replaceAll(/\D/g, "").length <= 15
      ? Number(value.decimal)
      : value.decimal;

/** How many bytes of a workbook may wait to be sent. */
const waitingBytes = 256 * 1024;

export async function* workbookPieces(spreadsheets: Spreadsheets, sheet: string, { rows, ...head }: DownloadedTable): Pieces {
  const cellsOf = (some: Rows) => ("lines" in some ? spreadsheets.copiedCells(some) : some);
  const output = new PassThrough({ highWaterMark: waitingBytes });
  output.on("error", () => undefined); // the reader and the writer below get the error too
  const writing = writeWorkbook();
  async function writeWorkbook(): Promise<void> {
    try {
      let some = await rows.next(); // if these cannot be read, nothing was sent yet
      const writer = spreadsheets.createTableWriter(output, { sheet, ...head });
      try {
        for (; !some.done; some = await rows.next()) for (const cells of cellsOf(some.value)) await writer.add(cells.map(workbookCell));
        await writer.close();
      } catch (error) {
        output.destroy(error as Error); // before `abort`, so that the reader gets this error
        await writer.abort();
        throw error;
      }
    } finally {
      await rows.return(undefined);
    }
  }
  writing.catch((error: Error) => output.destroy(error));
  try {
    for await (const piece of output) yield piece as Uint8Array;
    await writing;
  } finally {
    output.destroy(new Error("the download was broken off"));
    await writing.catch(() => undefined);
  }
}
