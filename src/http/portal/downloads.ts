// Downloads that are generated while they are sent: each piece is made when the browser has received the one before. Tables are written to
// CSV or XLSX as their rows are read, at a pace that leaves the cores to other requests.
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as nextIteration, setTimeout as pause } from "node:timers/promises";
import type { CopiedRows, CsvCell, Spreadsheets, WallTime } from "../../ports/spreadsheets.js";
import { createSlots, type Slots } from "../../slots.js";
import { answerInTime, maxReadMs, onClientLeft } from "../server/answerInTime.js";
import type { PortalDeps, SignedInVisit } from "./pageDefinition.js";

/** Limits concurrent downloads, since each holds a connection to the database. */
export const createDownloadSlots = (): Slots =>
  createSlots({ maxHeld: 4, maxPerOwner: 2, refusal: "Other downloads are running. Try again when they have finished" });

export type Pieces = AsyncGenerator<Uint8Array>;

export interface DownloadedFile {
  readonly name: string;
  readonly contentType: string;
  /** Starts generating the file. The generator frees its resources when it ends, fails or is stopped by `return`. */
  readonly pieces: () => Pieces;
}

const maxDownloadMs = 15 * 60 * 1000;

/**
 * Waits for the first piece, so that an early error is answered with a page and not with a broken file. However the download ends, its
 * pieces' resources are freed first, and its slot after that.
 */
export async function download(visit: SignedInVisit, slots: Slots, { name, contentType, pieces }: DownloadedFile): Promise<Response> {
  const { context: c, person } = visit;
  const release = slots.takeNow(person.organisationId);
  const stream = Readable.from(pieces());
  const timer = setTimeout(() => stream.destroy(new Error(`the download of ${name} took too long`)), maxDownloadMs).unref();
  stream.on("close", () => {
    clearTimeout(timer);
    release();
  });
  stream.on("error", () => undefined); // the stream's reader gets the error too
  onClientLeft(c.req.raw.signal, (reason) => stream.destroy(reason));
  try {
    await answerInTime(once(stream, "readable"), maxReadMs - 500, `download ${name}`);
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

/** The content types of table files, by file extension. */
export const tableFormats = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;
export type TableFormat = keyof typeof tableFormats;

interface TableFile {
  /** The file's name without its extension. */
  readonly name: string;
  readonly sheet: string;
  readonly format: TableFormat;
  readonly table: () => DownloadedTable;
}

export function downloadTable(visit: SignedInVisit, deps: PortalDeps, { name, sheet, format, table }: TableFile): Promise<Response> {
  const { spreadsheets, downloads } = deps;
  const startedAt = performance.now();
  const latestRequestAt = visit.context.get("latestRequestAt");
  const restMs = () => {
    const now = performance.now();
    const isBusy = latestRequestAt() > Math.max(startedAt, now - recentMs);
    return restAfterRowsMs({ isBusy, runningDownloads: downloads.countHeld(), elapsedMs: now - startedAt }) / parts;
  };
  const parts = format === "csv" ? 1 : workbookParts;
  const pieces = () => {
    const unpaced = table();
    const paced = { ...unpaced, rows: pacedRows(parts === 1 ? unpaced.rows : splitBatches(unpaced.rows, parts), restMs) };
    return format === "csv" ? csvPieces(spreadsheets, paced) : workbookPieces(spreadsheets, sheet, paced);
  };
  return download(visit, downloads, { name: `${name}.${format}`, contentType: tableFormats[format], pieces });
}

const recentMs = 250;
const restWhileBusyMs = 16;

/**
 * How long a download pauses after a batch of rows. While other requests arrive, the pauses leave the cores to them, and several downloads
 * together use no more than one would. Postgres does most of the work for the rows, and it pauses too. After half of `maxDownloadMs` a
 * download no longer pauses, so that it finishes in time.
 */
export const restAfterRowsMs = (download: { isBusy: boolean; runningDownloads: number; elapsedMs: number }): number =>
  download.isBusy && download.elapsedMs < maxDownloadMs / 2 ? restWhileBusyMs * download.runningDownloads : 0;

/** Writing rows to a workbook takes five times as long as to a CSV. Its batches are smaller, since other requests wait for each. */
const workbookParts = 4;

/** Splits each batch of copied rows into about `parts` batches of whole lines. Other batches are passed on unchanged. */
export async function* splitBatches(rows: DownloadedTable["rows"], parts: number): DownloadedTable["rows"] {
  for await (const some of rows) {
    if (!("lines" in some)) {
      yield some;
      continue;
    }
    const { lines } = some;
    const partBytes = Math.ceil(lines.length / parts);
    for (let from = 0, end = 0; from < lines.length; from = end) {
      end = lines.indexOf("\n", Math.min(from + partBytes, lines.length) - 1) + 1;
      yield { ...some, lines: lines.subarray(from, end) };
    }
  }
}

/** Passes the rows on and pauses after each batch, so that waiting requests are served before the next rows are read. */
export async function* pacedRows(rows: DownloadedTable["rows"], restMs: () => number): DownloadedTable["rows"] {
  for await (const some of rows) {
    yield some;
    const ms = restMs();
    await (ms > 0 ? pause(ms) : nextIteration());
  }
}

type WorkbookOptions = Parameters<Spreadsheets["createTableWriter"]>[1];
type Rows = readonly (readonly CsvCell[])[] | CopiedRows;

/** A table's headings and its rows in batches; each row's cells are in the order of `columns`. */
export interface DownloadedTable extends Omit<WorkbookOptions, "sheet"> {
  readonly rows: AsyncGenerator<Rows>;
}

/** Yields rows that are all in memory already. */
export async function* inOneBatch<Batch>(rows: Batch): AsyncGenerator<Batch> {
  yield rows;
}

/** Yields the headings together with the first rows. If those rows cannot be read, nothing has been sent yet. */
export async function* csvPieces({ csvLine, copiedCsv }: Pick<Spreadsheets, "csvLine" | "copiedCsv">, { columns, rows }: DownloadedTable) {
  const csvOf = (some: Rows) => ("lines" in some ? copiedCsv(some) : Buffer.from(some.map((cells) => csvLine(cells)).join("")));
  let headings: Uint8Array | undefined = Buffer.from(csvLine(columns));
  for await (const some of rows) {
    yield headings ? Buffer.concat([headings, csvOf(some)]) : csvOf(some);
    headings = undefined;
  }
  if (headings) yield headings;
}

/** Numbers in a workbook are exact to 15 digits, so longer ones are written as text. */
const workbookCell = (value: CsvCell): string | number | WallTime =>
  typeof value === "string" || "wallTime" in value
    ? value
    : value.decimal.length <= 15 || value.decimal.replaceAll(/\D/g, "").length <= 15
      ? Number(value.decimal)
      : value.decimal;

/** How many bytes of a workbook may be buffered before they are sent. */
const maxBufferedBytes = 256 * 1024;

export async function* workbookPieces(spreadsheets: Spreadsheets, sheet: string, { rows, ...head }: DownloadedTable): Pieces {
  const cellsOf = (some: Rows) => ("lines" in some ? spreadsheets.copiedCells(some) : some);
  const output = new PassThrough({ highWaterMark: maxBufferedBytes });
  output.on("error", () => undefined); // the reader and the writer below get the error too
  const writing = writeWorkbook();
  async function writeWorkbook(): Promise<void> {
    try {
      let some = await rows.next(); // before the writer starts: if this fails, nothing has been sent yet
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
