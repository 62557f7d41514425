import { Rejection } from "../../domain/rejection.js";
import { createSlots, type Reservation } from "../../slots.js";
import { Problem } from "./problem.js";

/** Enough for 10,000 activities of 3,000 characters each. An uploaded file may be larger, since it is never in memory as a whole. */
export const maxJsonBytes = 32 * 1024 * 1024;
/** How many bytes of bodies a process may have in memory. When they are used up, a request with a large body is answered 503. */
const memoryBounds = { maxHeld: 5 * maxJsonBytes, maxPerOwner: 2 * maxJsonBytes };
/** So many bytes of each body are not counted, so that a small request is never answered 503 because of large ones. */
export const uncountedBytes = 64 * 1024;

/**
 * Checks again, after the whole body has arrived, that its sender may do this, and throws if not. A body may take minutes, in which the key
 * may be revoked or the member removed.
 */
export type RecheckAccess = () => Promise<void>;

export interface BodyRequest {
  /** The most bytes that the body may have. */
  readonly limit: number;
  readonly organisationId: string;
  readonly recheckAccess: RecheckAccess;
  /** How many bytes the connection has received; absent without a socket. */
  readonly bytesRead?: (() => number) | undefined;
}

export type WithBody = <T>(request: Request, body: BodyRequest, use: (bytes: Uint8Array) => Promise<T>) => Promise<T>;

export interface BodyReaderOptions {
  readonly maxHeld?: number;
  /** The most bytes in memory for one organisation. */
  readonly maxPerOwner?: number;
  /** How long too little of a body may arrive before it is answered 408. */
  readonly silenceMs?: number;
}

/** Reads bodies into memory. Rejects a body that is too large by its declared length, before reading it, or else by its real length. */
export function createBodyReader({ silenceMs = 5_000, ...bounds }: BodyReaderOptions = {}): WithBody {
  const memory = createSlots({ ...memoryBounds, ...bounds, refusal: "Too many large requests at the moment, try again shortly" });
  return async (request, { limit, organisationId, recheckAccess, bytesRead }, use) => {
    const declaredBytes = declaredLength(request, limit);
    const reservation = memory.newReservation(organisationId);
    reservation.check(countedBytes(declaredBytes ?? 0));
    try {
      const arrival = { silenceMs, bytesRead, isLarge: false };
      const bytes = await withArrivalLimit(arrival, (inTime) =>
        readBounded(request, { declaredBytes, limit, reservation, arrival, inTime }),
      );
      await recheckAccess();
      return await use(bytes);
    } finally {
      reservation.release();
    }
  };
}

const countedBytes = (size: number) => Math.max(0, size - uncountedBytes);

function declaredLength(request: Request, limit: number): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  const length = Number(header);
  if (length > limit) throw bodyTooLarge(limit);
  return length;
}

interface BodyReading {
  readonly declaredBytes: number | undefined;
  readonly limit: number;
  readonly reservation: Reservation;
  readonly arrival: { isLarge: boolean };
  readonly inTime: InTime;
}

async function readBounded(request: Request, { declaredBytes, limit, reservation, arrival, inTime }: BodyReading): Promise<Uint8Array> {
  // Node enforces the declared length, so a small body needs no counting: `arrayBuffer` of @hono/node-server reads it faster.
  if (declaredBytes !== undefined && declaredBytes <= uncountedBytes) {
    const buffer = await inTime(request.arrayBuffer().catch(throwBrokenOff));
    if (buffer.byteLength > limit) throw bodyTooLarge(limit);
    return new Uint8Array(buffer);
  }
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // On an error the reader is not cancelled: that would close the connection before the answer is sent. readLeftovers reads the rest.
  for (;;) {
    const { done, value } = await inTime(reader.read().catch(throwBrokenOff));
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limit) throw bodyTooLarge(limit);
    reservation.resize(countedBytes(size)); // counts the bytes that have arrived, not the declared length, which may never be sent
    arrival.isLarge = size > uncountedBytes;
    chunks.push(value);
  }
}

/** The sender has disconnected or sent too little. That is answered 400, and is not logged as a fault of the service. */
function throwBrokenOff(): never {
  throw new Rejection("invalid", "The body broke off before its end, send the request again");
}

const bodyTooLarge = (limit: number): Rejection =>
  new Rejection("tooLarge", `The body is larger than ${limit} bytes. Send the data in several requests`);

/** The time limit for a whole body, even if its sender is never silent. */
const maxBodyMs = 60_000;
/** The least of a large body that must arrive in `silenceMs`. For a small body one byte is enough, since it takes little memory. */
const minLargeBytes = 16 * 1024;
/** A sender is silent after so many checks without enough new bytes. Time alone does not show it: a stalled process reads nothing. */
const silentChecks = 5;

export interface Arrival {
  readonly silenceMs: number;
  readonly bytesRead: (() => number) | undefined;
  /** Whether more bytes have arrived than a small body has. */
  readonly isLarge: boolean;
}

type InTime = <T>(work: Promise<T>) => Promise<T>;

/** Runs `read` and throws a 408 when the whole body takes too long, or its sender is silent. `read` wraps each wait in `inTime`. */
export async function withArrivalLimit<T>(arrival: Arrival, read: (inTime: InTime) => Promise<T>): Promise<T> {
  let giveUp: (message: string) => void = () => undefined;
  const timedOut = new Promise<never>((_, reject) => {
    giveUp = (message) => reject(new Problem("requestTimeout", message, { headers: { connection: "close" } }));
  });
  const deadline = setTimeout(() => giveUp("The body took too long to arrive, send the request again"), maxBodyMs);
  const stopWatching = watchArrival(arrival, () => giveUp("The body stopped arriving before its end, send the request again"));
  try {
    return await read((work) => Promise.race([work, timedOut]));
  } finally {
    clearTimeout(deadline);
    stopWatching();
  }
}

function watchArrival(arrival: Arrival, onSilence: () => void): () => void {
  const { bytesRead, silenceMs } = arrival;
  if (bytesRead === undefined) return () => undefined;
  let lastBytes = bytesRead();
  let checks = 0;
  const timer = setInterval(() => {
    checks += 1;
    if (bytesRead() - lastBytes >= (arrival.isLarge ? minLargeBytes : 1)) {
      lastBytes = bytesRead();
      checks = 0;
    } else if (checks === silentChecks) onSilence();
  }, silenceMs / silentChecks);
  return () => clearInterval(timer);
}
