// Files that are made while they are sent: a piece is made when the browser has taken the one before.
import { createSlots, type Slots } from "../../slots.js";
import { answerInTime, onClientLeft, readPatienceMs } from "../server/answerInTime.js";
import type { SignedInVisit } from "./pageDefinition.js";

/** Each download holds a connection to the database. */
export const boundDownloads = (): Slots =>
  createSlots({ inAll: 4, each: 2, refusal: "Other downloads are running. Try again when they have finished" });

export type Pieces = AsyncGenerator<Uint8Array | string>;

export interface DownloadedFile {
  readonly name: string;
  readonly contentType: string;
  /** Begins the file. The pieces free what they hold when they end, fail, or are given up by `return`. */
  readonly pieces: () => Pieces;
}

/** The longest that a download may take. */
export const longestMs = 15 * 60 * 1000;

/** Waits for the first piece, so that an error at the start is answered with a page and not with a broken file. */
export async function download(visit: SignedInVisit, slots: Slots, file: DownloadedFile): Promise<Response> {
  const { context: c, person } = visit;
  const { name, contentType } = file;
  const release = slots.claim(person.organisationId);
  const pieces = file.pieces();
  let late: NodeJS.Timeout | undefined;
  let ended: Promise<unknown> | undefined;
  let givenUp: Error | undefined;
  /** However a download ends, it ends here: what the pieces hold is freed, and then the slot. */
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
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = first ?? (await next());
          first = undefined;
          if (!done) return controller.enqueue(typeof value === "string" ? Buffer.from(value) : value);
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
  return c.body(stream, 200, {
    ...c.get("answerHeaders"),
    "content-type": contentType,
    "content-disposition": `attachment; filename="${name}"`,
  });
}
