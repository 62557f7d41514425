import { Rejection } from "../domain/rejection.js";
import { Problem } from "./problem.js";

/** Room for 10,000 activities of 3,000 characters each; a file may be larger, since it is never whole in memory. */
export const maxJsonBytes = 32 * 1024 * 1024;
/** For the whole of it: a sender that dribbles gets no more than one that is silent. */
const readTimeoutMs = 60_000;
/** What all bodies that one process holds at once may take: beyond it, later callers are asked to come back. */
const maxBytesInFlight = 5 * maxJsonBytes;
/** Of each body, not counted: a small request is never refused for the large ones of others. */
export const uncountedBytes = 64 * 1024;

export type WithBody = <T>(request: Request, limit: number, use: (bytes: Uint8Array) => Promise<T>) => Promise<T>;

/** Reads a body into memory: refused by its declared length before a byte is read, and by its real length while it is. */
export function createBodyReader(budget = maxBytesInFlight): WithBody {
  let inFlight = 0;
  const refuseBeyondBudget = (more: number) => {
    if (inFlight + more > budget) throw new Problem("unavailable", "Too many large requests at the moment, try again shortly");
  };
  return async (request, limit, use) => {
    const declared = declaredLength(request, limit);
    refuseBeyondBudget(counted(declared ?? 0));
    let reserved = 0;
    // As bytes arrive: whoever announces much and sends little keeps nobody out.
    const reserve = (size: number) => {
      const more = counted(size) - reserved;
      refuseBeyondBudget(more);
      inFlight += more;
      reserved += more;
    };
    try {
      return await use(await withDeadline((inTime) => readBounded(request, { declared, limit, reserve, inTime })));
    } finally {
      inFlight -= reserved;
    }
  };
}

const counted = (size: number) => Math.max(0, size - uncountedBytes);

function declaredLength(request: Request, limit: number): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  const length = Number(header);
  if (length > limit) throw tooLarge(limit);
  return length;
}

interface Reading {
  readonly declared: number | undefined;
  readonly limit: number;
  readonly reserve: (size: number) => void;
  readonly inTime: InTime;
}

async function readBounded(request: Request, { declared, limit, reserve, inTime }: Reading): Promise<Uint8Array> {
  // Node itself holds the sender to a declared length, and the adapter's own path is the fast one.
  if (declared !== undefined && declared <= uncountedBytes) return withinLimit(await inTime(request.arrayBuffer()), limit);
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Never cancelled: that would close the connection before the answer is out. What is left is read after it.
  for (;;) {
    const { done, value } = await inTime(reader.read());
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limit) throw tooLarge(limit);
    reserve(size);
    chunks.push(value);
  }
}

function withinLimit(buffer: ArrayBuffer, limit: number): Uint8Array {
  if (buffer.byteLength > limit) throw tooLarge(limit);
  return new Uint8Array(buffer);
}

type InTime = <T>(work: Promise<T>) => Promise<T>;

/** One deadline for all that `read` waits for. */
async function withDeadline<T>(read: (inTime: InTime) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Problem("requestTimeout", "The body took too long to arrive", closeAfter)), readTimeoutMs);
  });
  try {
    return await read((work) => Promise.race([work.catch(brokenOff), late]));
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
