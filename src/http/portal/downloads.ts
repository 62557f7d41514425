// Downloads that are generated while they are sent: the next piece is made when the browser is ready to receive it. Tables are written
// to CSV or XLSX as their rows are read. While other requests arrive, a download pauses to leave the cores to them.
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as nextIteration, setTimeout as pause } from "node:timers/promises";
import type { CopyOutput, CsvCell, Spreadsheets, WallTime } from "../../ports/spreadsheets.js";
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
  stream.on("error", () => undefined); // whoever reads the stream gets the error too
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
  const pauseMs = () => {
    const now = performance.now();
    const isBusy = latestRequestAt() > Math.max(startedAt, now - recentMs);
    return pauseAfterBatchMs({ isBusy, runningDownloads: downloads.countHeld(), elapsedMs: now - startedAt }) / partsPerBatch;
  };
  const partsPerBatch = format === "csv" ? 1 : workbookPartsPerBatch;
  const pieces = () => {
    const { rows, ...head } = table();
    const pacedTable = { ...head, rows: pacedRows(partsPerBatch === 1 ? rows : splitBatches(rows, partsPerBatch), pauseMs) };
    return format === "csv" ? csvPieces(spreadsheets, pacedTable) : workbookPieces(spreadsheets, sheet, pacedTable);
  };
  return download(visit, downloads, { name: `${name}.${format}`, contentType: tableFormats[format], pieces });
}

const recentMs = 250;
const pauseWhileBusyMs = 16;

/**
 * How long a download pauses after a batch of rows. While other requests arrive, the pauses leave the cores to them, and several downloads
 * together use no more than one would. Postgres, which does most of the work for the rows, pauses too, since it is not asked for the next
 * batch. After half of `maxDownloadMs` a download no longer pauses, so that it finishes in time.
 */
export const pauseAfterBatchMs = (download: { isBusy: boolean; runningDownloads: number; elapsedMs: number }): number =>
  download.isBusy && download.elapsedMs < maxDownloadMs / 2 ? pauseWhileBusyMs * download.runningDownloads : 0;

/** Other requests wait while a batch is written. A workbook takes five times as long to write as a CSV, so its batches are split. */
const workbookPartsPerBatch = 4;

/** Splits each batch that has Postgres' own lines into about `parts` batches of whole lines. Passes batches of cells on unchanged. */
export async function* splitBatches(rows: DownloadedTable["rows"], parts: number): DownloadedTable["rows"] {
  for await (const batch of rows) {
    if (!("lines" in batch)) {
      yield batch;
      continue;
    }
    const { lines } = batch;
    const partBytes = Math.ceil(lines.length / parts);
    for (let from = 0, end = 0; from < lines.length; from = end) {
      end = lines.indexOf("\n", Math.min(from + partBytes, lines.length) - 1) + 1;
      yield { ...batch, lines: lines.subarray(from, end) };
    }
  }
}

/** Passes the rows on and pauses after each batch, so that waiting requests are served before the next rows are read. */
export async function* pacedRows(rows: DownloadedTable["rows"], pauseMs: () => number): DownloadedTable["rows"] {
  for await (const batch of rows) {
    yield batch;
    const ms = pauseMs();
    await (ms > 0 ? pause(ms) : nextIteration());
  }
}

type WorkbookOptions = Parameters<Spreadsheets["createTableWriter"]>[1];
type RowBatch = readonly (readonly CsvCell[])[] | CopyOutput;

/** A table's headings and its rows in batches; each row's cells are in the order of `columns`. */
export interface DownloadedTable extends Omit<WorkbookOptions, "sheet"> {
  readonly rows: AsyncGenerator<RowBatch>;
}

/** Yields rows that are all in memory already. */
export async function* inOneBatch<Batch>(rows: Batch): AsyncGenerator<Batch> {
  yield rows;
}

/** Yields the headings together with the first rows. If those rows cannot be read, nothing has been sent yet. */
export async function* csvPieces(
  { csvLine, csvFromCopy }: Pick<Spreadsheets, "csvLine" | "csvFromCopy">,
  { columns, rows }: DownloadedTable,
) {
  const csvOf = (batch: RowBatch) => ("lines" in batch ? csvFromCopy(batch) : Buffer.from(batch.map((cells) => csvLine(cells)).join("")));
  let headings: Uint8Array | undefined = Buffer.from(csvLine(columns));
  for await (const batch of rows) {
    yield headings ? Buffer.concat([headings, csvOf(batch)]) : csvOf(batch);
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
  const cellsOf = (batch: RowBatch) => ("lines" in batch ? spreadsheets.cellsFromCopy(batch) : batch);
  const output = new PassThrough({ highWaterMark: maxBufferedBytes });
  output.on("error", () => undefined); // the reader and the writer below get the error too
  const writing = writeWorkbook();
  async function writeWorkbook(): Promise<void> {
    try {
      let batch = await rows.next(); // before the writer starts: if this fails, nothing has been sent yet
      const writer = spreadsheets.createTableWriter(output, { sheet, ...head });
      try {
        for (; !batch.done; batch = await rows.next()) for (const cells of cellsOf(batch.value)) await writer.add(cells.map(workbookCell));
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
