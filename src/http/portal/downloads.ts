// Files that are made while they are sent: a piece is made when the browser has taken the one before.
import { PassThrough } from "node:stream";
import type { Spreadsheets, WallTime } from "../../ports/spreadsheets.js";
import { inTime, readPatienceMs } from "../server/inTime.js";
import { Problem } from "../server/problem.js";
import type { SignedInVisit } from "./visit.js";

/** Bounds the downloads that run at a time: each holds a connection to the database. */
export interface Downloads {
  /** Throws 503 where too many run; the slot is given back by calling what it returns. */
  begin(organisationId: string): () => void;
}

export function boundDownloads({ inAll = 4, perOrganisation = 2 } = {}): Downloads {
  const running = new Map<string, number>();
  let total = 0;
  return {
    begin(organisationId) {
      const own = running.get(organisationId) ?? 0;
      if (total >= inAll || own >= perOrganisation)
        throw new Problem("unavailable", "Other downloads are running, try again when they have ended");
      total += 1;
      running.set(organisationId, own + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        total -= 1;
        const left = (running.get(organisationId) ?? 1) - 1;
        if (left === 0) running.delete(organisationId);
        else running.set(organisationId, left);
      };
    },
  };
}

export type Pieces = AsyncGenerator<Uint8Array | string>;

export interface DownloadedFile {
  readonly name: string;
  readonly contentType: string;
  /** Frees what it holds when it ends, fails, or is given up by `return`. */
  readonly pieces: Pieces;
}

/** The longest that a download may take. */
const longestMs = 15 * 60 * 1000;

/** Waits for the first piece, so that an error at the start is answered with a page and not with a broken file. */
export async function download(visit: SignedInVisit, file: DownloadedFile, end: () => void): Promise<Response> {
  const { pieces, name, contentType } = file;
  const left = AbortSignal.any([visit.context.req.raw.signal, AbortSignal.timeout(longestMs)]);
  const giveUp = () => void pieces.return(undefined).catch(() => undefined);
  left.addEventListener("abort", giveUp, { once: true });
  const ended = () => {
    left.removeEventListener("abort", giveUp);
    end();
  };
  let first: IteratorResult<Uint8Array | string> | undefined;
  try {
    first = await inTime(pieces.next(), readPatienceMs - 500, `download ${name}`);
  } catch (error) {
    giveUp();
    ended();
    throw error;
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = first ?? (await pieces.next());
          first = undefined;
          if (!done) return controller.enqueue(typeof value === "string" ? Buffer.from(value) : value);
          // Given up, not finished: the browser must not take it for the whole file.
          left.throwIfAborted();
        } catch (error) {
          ended();
          throw error;
        }
        ended();
        controller.close();
      },
      async cancel() {
        await pieces.return(undefined).catch(() => undefined);
        ended();
      },
    },
    { highWaterMark: 0 },
  );
  return visit.context.body(stream, 200, {
    ...visit.context.get("answerHeaders"),
    "content-type": contentType,
    "content-disposition": `attachment; filename="${name}"`,
  });
}

/** A text, a number as its exact digits, or a time as a spreadsheet has it. */
export type Cell = string | { readonly decimal: string } | WallTime;

/** Rows in the order of `columns`, some at a time. */
export interface DownloadedTable {
  readonly columns: readonly string[];
  readonly rows: AsyncGenerator<readonly (readonly Cell[])[]>;
  /** Columns, from 0, that a workbook keeps as texts. */
  readonly texts?: ReadonlySet<number>;
}

export async function* csvPieces({ columns, rows }: DownloadedTable): Pieces {
  try {
    yield csvLine(columns);
    for await (const some of rows) yield some.map(csvLine).join("");
  } finally {
    await rows.return(undefined);
  }
}

const csvLine = (cells: readonly Cell[]) => `${cells.map(csvCell).join(",")}\r\n`;

/** A text that a spreadsheet would run as a formula gets an apostrophe before it, which makes it a text there. Numbers stay numbers. */
function csvCell(value: Cell): string {
  if (typeof value !== "string") return "decimal" in value ? value.decimal : value.wallTime;
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** A workbook's numbers are exact to 15 digits; longer ones are texts there. */
const workbookCell = (value: Cell): string | number | WallTime =>
  typeof value === "string" || "wallTime" in value
    ? value
    : value.decimal.replaceAll(/\D/g, "").length <= 15
      ? Number(value.decimal)
      : value.decimal;

/** How many bytes of a workbook may wait to be sent. */
const waitingBytes = 256 * 1024;

export async function* workbookPieces(spreadsheets: Spreadsheets, sheet: string, { columns, rows, texts }: DownloadedTable): Pieces {
  const output = new PassThrough({ highWaterMark: waitingBytes });
  output.on("error", () => undefined); // the reader and the writer below get the error too
  const writing = writeWorkbook();
  async function writeWorkbook(): Promise<void> {
    try {
      const writer = await spreadsheets.createTableWriter(output, { sheet, columns, ...(texts ? { texts } : {}) });
      try {
        for await (const some of rows) for (const cells of some) await writer.add(cells.map(workbookCell));
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
