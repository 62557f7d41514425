import { Rejection } from "../domain/rejection.js";
import { Problem } from "./problem.js";

/** Room for 10,000 activities of 3,000 characters each; a file may be larger, since it is never whole in memory. */
export const maxJsonBytes = 32 * 1024 * 1024;
const readTimeoutMs = 60_000;
/** All bodies that one process holds at once: beyond it, later callers are asked to come back. */
const maxBytesInFlight = 5 * maxJsonBytes;

export type WithBody = <T>(request: Request, limit: number, use: (bytes: Uint8Array) => Promise<T>) => Promise<T>;

/** Reads a body into memory: refused by its declared length before a byte is read, and by its real length while it is. */
export function createBodyReader(budget = maxBytesInFlight): WithBody {
  let inFlight = 0;
  return async (request, limit, use) => {
    const declared = declaredLength(request, limit);
    const reserved = declared ?? limit;
    if (inFlight + reserved > budget) throw new Problem("unavailable", "Too many large requests at the moment, try again shortly");
    inFlight += reserved;
    try {
      // With a declared length Node itself holds the sender to it, and the adapter's own path is the fast one.
      const bytes = declared === undefined ? await readBounded(request, limit) : new Uint8Array(await inTime(request.arrayBuffer()));
      if (bytes.byteLength > limit) throw tooLarge(limit);
      return await use(bytes);
    } finally {
      inFlight -= reserved;
    }
  };
}

function declaredLength(request: Request, limit: number): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  const length = Number(header);
  if (length > limit) throw tooLarge(limit);
  return length;
}

async function readBounded(request: Request, limit: number): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await inTime(reader.read());
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limit) {
      void reader.cancel().catch(() => undefined);
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Problem("requestTimeout", "The body took too long to arrive", closeAfter)), readTimeoutMs);
  });
  try {
    return await Promise.race([work.catch(brokenOff), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The sender has left, or cut its request short: no fault of ours to be logged and counted as one. */
function brokenOff(): never {
  throw new Rejection("invalid", "The body broke off before its end, send the request again");
}

const closeAfter = { headers: { connection: "close" } };

function tooLarge(limit: number): Rejection {
  return new Rejection("tooLarge", `The body is larger than ${limit} bytes. Send the data in several requests`);
}
