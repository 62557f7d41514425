// Files that are made while they are sent: a piece is made when the browser has taken the one before.
import { once } from "node:events";
import { Readable } from "node:stream";
import { createSlots, type Slots } from "../../slots.js";
import { answerInTime, onClientLeft, readPatienceMs } from "../server/answerInTime.js";
import type { SignedInVisit } from "./pageDefinition.js";

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
  const release = slots.claim(person.organisationId);
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
