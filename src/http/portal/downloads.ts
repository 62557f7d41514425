// Files that are made while they are sent: a piece is made when the browser has taken the one before.
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { createPlaces, type Places } from "../../places.js";
import type { CopiedRows, CsvCell, Spreadsheets, WallTime } from "../../ports/spreadsheets.js";
import { inTime, readPatienceMs, whenLeft } from "../server/inTime.js";
import type { PortalDeps, SignedInVisit } from "./page.js";

/** Each download holds a connection to the database. */
export const boundDownloads = (): Places =>
  createPlaces({ inAll: 4, each: 2, refusal: "Other downloads are running. Try again when they have finished" });

export type Pieces = AsyncGenerator<Uint8Array | string>;

export interface DownloadedFile {
  readonly name: string;
  readonly contentType: string;
  /** Begins the file. The pieces free what they hold when they end, fail, or are given up by `return`. */
  readonly pieces: () => Pieces;
  /** For a progress, once the first piece is made. */
  readonly rows?: RowCounts;
}

interface RowCounts {
  /** How many rows the file has; undefined where that is not known before its end. */
  readonly total: () => number | undefined;
  /** How many of them are in the pieces so far. */
  readonly made: () => number;
}

/**
 * The file in frames, for a script that shows the progress and saves the file itself: before each piece stand the number of rows so far and the
 * piece's length, as unsigned 32-bit numbers with the highest byte first. A browser cannot count the rows of a workbook, which is packed.
 */
export const framesType = "application/vnd.waybill.frames";

function framed(piece: Uint8Array, rows: number): Uint8Array {
  const frame = Buffer.allocUnsafe(8 + piece.byteLength);
  frame.writeUInt32BE(rows, 0);
  frame.writeUInt32BE(piece.byteLength, 4);
  frame.set(piece, 8);
  return frame;
}

/** The longest that a download may take. */
const longestMs = 15 * 60 * 1000;

/** Waits for the first piece, so that an error at the start is answered with a page and not with a broken file. */
export async function download(visit: SignedInVisit, places: Places, file: DownloadedFile): Promise<Response> {
  const { context: c, person } = visit;
  const { name, contentType, rows } = file;
  const release = places.claim(person.organisationId);
  const pieces = file.pieces();
  let late: NodeJS.Timeout | undefined;
  let ended: Promise<unknown> | undefined;
  let givenUp: Error | undefined;
  /** However a download ends, it ends here: what the pieces hold is freed, and then the place. */
  const end = (reason?: Error) => {
    givenUp ??= reason;
    clearTimeout(late);
    ended ??= pieces
      .return(undefined)
      .catch(() => undefined)
      .finally(release);
    return ended;
  };
  late = setTimeout(() => void end(new Error(`the download of ${name} took too long`)), longestMs).unref();
  whenLeft(c.req.raw.signal, (left) => void end(left));
  const next = async () => {
    const piece = await pieces.next();
    // Given up, not finished: the browser must not take it for the whole file.
    if (givenUp) throw givenUp;
    return piece;
  };
  let first: IteratorResult<Uint8Array | string> | undefined;
  try {
    first = await inTime(next(), readPatienceMs - 500, `download ${name}`);
  } catch (error) {
    void end();
    throw error;
  }
  const inFrames = rows !== undefined && c.req.header("accept") === framesType;
  const bytesOf = (piece: Uint8Array | string) => {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    return inFrames ? framed(bytes, rows.made()) : bytes;
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = first ?? (await next());
          first = undefined;
          if (!done) return controller.enqueue(bytesOf(value));
        } catch (error) {
          void end();
          throw error;
        }
        void end();
        controller.close();
      },
      cancel: async () => void (await end()),
    },
    { highWaterMark: 0 },
  );
  const total = rows?.total();
  return c.body(stream, 200, {
    ...c.get("answerHeaders"),
    "content-type": inFrames ? framesType : contentType,
    ...(total === undefined ? {} : { "x-total-rows": String(total) }),
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
    return restOf({ isBusy, running: downloads.held(), ranMs: now - started }) / parts;
  };
  const parts = format === "csv" ? 1 : partsForWorkbook;
  let begun: DownloadedTable | undefined;
  let made = 0;
  const pieces = () => {
    begun = table();
    const paced = { ...begun, rows: pacedRows(inParts(begun.rows, parts), restMs, (rows) => (made += rows)) };
    return format === "csv" ? csvPieces(spreadsheets, paced) : workbookPieces(spreadsheets, sheet, paced);
  };
  const rows = { total: () => begun?.total?.(), made: () => made };
  return download(visit, downloads, { name: `${name}.${format}`, contentType: tableFormats[format], pieces, rows });
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

/** The same rows, but of copied ones as many fewer at a time. */
export async function* inParts(rows: DownloadedTable["rows"], parts: number): DownloadedTable["rows"] {
  try {
    for await (const some of rows) {
      if (!("lines" in some)) {
        yield some;
        continue;
      }
      const { lines } = some;
      const most = Math.ceil(lines.length / parts);
      for (let from = 0, end = 0; from < lines.length; from = end) {
        end = lines.indexOf("\n", Math.min(from + most, lines.length) - 1) + 1;
        yield { ...some, lines: lines.subarray(from, end), count: countLines(lines, from, end) };
      }
    }
  } finally {
    await rows.return(undefined);
  }
}

function countLines(lines: Buffer, from: number, end: number): number {
  let count = 0;
  for (let at = lines.indexOf("\n", from); at !== -1 && at < end; at = lines.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The rows as they are taken; before the next ones are read, requests that came meanwhile have their turn. */
export async function* pacedRows(
  rows: DownloadedTable["rows"],
  restMs: () => number,
  count: (rows: number) => void,
): DownloadedTable["rows"] {
  try {
    for (let some = await rows.next(); !some.done; some = await rows.next()) {
      count("lines" in some.value ? some.value.count : some.value.length);
      yield some.value;
      const ms = restMs();
      await (ms > 0 ? pause(ms) : nextTurn());
    }
  } finally {
    await rows.return(undefined);
  }
}

export type Cell = CsvCell;

type Rows = readonly (readonly Cell[])[] | CopiedRows;

/** Rows in the order of `columns`, some at a time. */
export interface DownloadedTable {
  readonly columns: readonly string[];
  readonly rows: AsyncGenerator<Rows>;
  /** How many rows there are, once the first ones are read. */
  readonly total?: () => number | undefined;
  /** Columns, from 0, that a workbook keeps as texts. */
  readonly texts?: ReadonlySet<number>;
  /** In the properties of a workbook. */
  readonly subject?: string;
}

/** The headings come with the first rows: if these cannot be read, nothing was sent yet. */
export async function* csvPieces(
  { csvLine, copiedCsv }: Pick<Spreadsheets, "csvLine" | "copiedCsv">,
  { columns, rows }: DownloadedTable,
): Pieces {
  const csvOf = (some: Rows) => ("lines" in some ? copiedCsv(some) : Buffer.from(some.map((cells) => csvLine(cells)).join("")));
  let headings: Uint8Array | undefined = Buffer.from(csvLine(columns));
  try {
    for await (const some of rows) {
      yield headings ? Buffer.concat([headings, csvOf(some)]) : csvOf(some);
      headings = undefined;
    }
    if (headings) yield headings;
  } finally {
    await rows.return(undefined);
  }
}

/** A workbook's numbers are exact to 15 digits; longer ones are texts there. */
const workbookCell = (value: Cell): string | number | WallTime =>
  typeof value === "string" || "wallTime" in value
    ? value
    : value.decimal.length <= 15 || value.decimal.replaceAll(/\D/g, "").length <= 15
      ? Number(value.decimal)
      : value.decimal;

/** How many bytes of a workbook may wait to be sent. */
const waitingBytes = 256 * 1024;

export async function* workbookPieces(spreadsheets: Spreadsheets, sheet: string, table: DownloadedTable): Pieces {
  const { columns, rows, texts, subject } = table;
  const cellsOf = (some: Rows) => ("lines" in some ? spreadsheets.copiedCells(some) : some);
  const output = new PassThrough({ highWaterMark: waitingBytes });
  output.on("error", () => undefined); // the reader and the writer below get the error too
  const writing = writeWorkbook();
  async function writeWorkbook(): Promise<void> {
    try {
      let some = await rows.next(); // if these cannot be read, nothing was sent yet
      const writer = await spreadsheets.createTableWriter(output, {
        ...{ sheet, columns },
        ...(texts ? { texts } : {}),
        ...(subject === undefined ? {} : { subject }),
      });
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
