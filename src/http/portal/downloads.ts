// Files that are made while they are sent: a piece is made when the browser has taken the one before.
import { createPlaces, type Places } from "../../places.js";
import { answerInTime, onClientLeft, readPatienceMs } from "../server/answerInTime.js";
import type { SignedInVisit } from "./page.js";

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
export const longestMs = 15 * 60 * 1000;

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
  onClientLeft(c.req.raw.signal, (left) => void end(left));
  const next = async () => {
    const piece = await pieces.next();
    // Given up, not finished: the browser must not take it for the whole file.
    if (givenUp) throw givenUp;
    return piece;
  };
  let first: IteratorResult<Uint8Array | string> | undefined;
  try {
    first = await answerInTime(next(), readPatienceMs - 500, `download ${name}`);
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
