import { Rejection } from "../../domain/rejection.js";
import { createSlots, type Share } from "../../slots.js";
import { Problem } from "./problem.js";

/** Enough for 10,000 activities of 3,000 characters each. A file may be larger, since it is never in memory as a whole. */
export const maxJsonBytes = 32 * 1024 * 1024;
/** The memory for all bodies of a process at once. When it is used up, further requests are answered 503. */
const bounds = { inAll: 5 * maxJsonBytes, each: 2 * maxJsonBytes };
/** This much of each body is not counted, so that a small request never gets a 503 because of large ones. */
export const uncountedBytes = 64 * 1024;

/**
 * Asks again, after the whole body has arrived, whether its sender may do this, and throws if not: a body may take minutes, and meanwhile
 * the key may be revoked or the member removed.
 */
export type RecheckAccess = () => Promise<void>;

export interface BodyRequest {
  readonly limit: number;
  readonly organisationId: string;
  readonly recheckAccess: RecheckAccess;
  /** How many bytes the connection has received; absent without a socket. */
  readonly bytesRead?: (() => number) | undefined;
}

export type WithBody = <T>(request: Request, body: BodyRequest, use: (bytes: Uint8Array) => Promise<T>) => Promise<T>;

export interface BodyReaderOptions {
  readonly inAll?: number;
  /** For each organisation. */
  readonly each?: number;
  /** A body is given up when too little arrives for this long. */
  readonly silenceMs?: number;
}

/** Reads a body into memory. A too large one is rejected by its declared length before it is read, or by its real length while it is. */
export function createBodyReader({ silenceMs = 5_000, ...most }: BodyReaderOptions = {}): WithBody {
  const memory = createSlots({ ...bounds, ...most, refusal: "Too many large requests at the moment, try again shortly" });
  return async (request, { limit, organisationId, recheckAccess, bytesRead }, use) => {
    const declared = declaredLength(request, limit);
    const share = memory.share(organisationId);
    share.check(countedBytes(declared ?? 0));
    try {
      const arrival = { silenceMs, bytesRead, large: false };
      const bytes = await withArrivalLimit(arrival, (inTime) => readBounded(request, { declared, limit, share, arrival, inTime }));
      await recheckAccess();
      return await use(bytes);
    } finally {
      share.release();
    }
  };
}

const countedBytes = (size: number) => Math.max(0, size - uncountedBytes);

function declaredLength(request: Request, limit: number): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  const length = Number(header);
  if (length > limit) throw tooLarge(limit);
  return length;
}

interface BodyReading {
  readonly declared: number | undefined;
  readonly limit: number;
  readonly share: Share;
  readonly arrival: { large: boolean };
  readonly inTime: <T>(work: Promise<T>) => Promise<T>;
}

async function readBounded(request: Request, { declared, limit, share, arrival, inTime }: BodyReading): Promise<Uint8Array> {
  // Node enforces a declared length, and @hono/node-server's own reading is faster.
  if (declared !== undefined && declared <= uncountedBytes) {
    const buffer = await inTime(request.arrayBuffer().catch(brokenOff));
    if (buffer.byteLength > limit) throw tooLarge(limit);
    return new Uint8Array(buffer);
  }
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // On an error the reader is not cancelled: that would close the connection before the answer is sent. readLeftovers reads the rest.
  for (;;) {
    const { done, value } = await inTime(reader.read().catch(brokenOff));
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limit) throw tooLarge(limit);
    share.hold(countedBytes(size)); // counts the bytes that have arrived, not the declared length, which may never be sent
    arrival.large = size > uncountedBytes;
    chunks.push(value);
  }
}

/** The sender has disconnected or sent too little. That is answered 400, not logged as an error of the service. */
function brokenOff(): never {
  throw new Rejection("invalid", "The body broke off before its end, send the request again");
}

const tooLarge = (limit: number): Rejection =>
  new Rejection("tooLarge", `The body is larger than ${limit} bytes. Send the data in several requests`);

/** The time for a whole body, also for a sender that sends it very slowly. */
const readTimeoutMs = 60_000;
/** At least this much of a large body must arrive per period of silence. For a small body one byte is enough, since it takes little memory. */
const leastBytes = 16 * 1024;
/** So many checks in a row without enough new bytes are silence. Time is not measured: a process that could not run has not yet read what arrived. */
const silentLooks = 5;

export interface Arrival {
  readonly silenceMs: number;
  readonly bytesRead: (() => number) | undefined;
  /** Whether more than a small body has arrived. */
  readonly large: boolean;
}

type InTime = <T>(work: Promise<T>) => Promise<T>;

/** Runs `read` with one deadline for the whole body and a shorter one for a sender that is silent. */
export async function withArrivalLimit<T>(arrival: Arrival, read: (inTime: InTime) => Promise<T>): Promise<T> {
  let giveUp: (message: string) => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    giveUp = (message) => reject(new Problem("requestTimeout", message, { headers: { connection: "close" } }));
  });
  const deadline = setTimeout(() => giveUp("The body took too long to arrive, send the request again"), readTimeoutMs);
  const stopWatching = watch(arrival, () => giveUp("The body stopped arriving before its end, send the request again"));
  try {
    return await read((work) => Promise.race([work, late]));
  } finally {
    clearTimeout(deadline);
    stopWatching();
  }
}

function watch(arrival: Arrival, onSilence: () => void): () => void {
  const { bytesRead, silenceMs } = arrival;
  if (bytesRead === undefined) return () => undefined;
  let seen = bytesRead();
  let looks = 0;
  const look = setInterval(() => {
    looks += 1;
    if (bytesRead() - seen >= (arrival.large ? leastBytes : 1)) {
      seen = bytesRead();
      looks = 0;
    } else if (looks === silentLooks) onSilence();
  }, silenceMs / silentLooks);
  return () => clearInterval(look);
}
