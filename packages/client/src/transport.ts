// One request to the service, repeated where that is safe and may help.
import { ConnectionError, errorOf, RateLimitedError, UnavailableError, WaybillError } from "./errors.js";

/** Rejects with the signal's reason as soon as it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
    return undefined;
  });
}

/** Between half and all of the time, at random, so that many clients do not come back at the same moment. */
export function withJitter(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}

export interface WaybillOptions {
  /** Where the service is, such as `https://waybill.example.net`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch?: typeof fetch;
  /** How often a request is sent at most. 5 unless given; 1 turns retrying off. */
  readonly attempts?: number;
  /** Milliseconds after which an attempt is given up: one minute unless given, ten for a file. */
  readonly timeout?: number;
  /** Milliseconds before the second attempt; doubles from attempt to attempt. 500 unless given. */
  readonly firstDelay?: number;
  /** Milliseconds between two attempts at most. If `Retry-After` asks for more, the error is thrown. One minute unless given. */
  readonly longestDelay?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface Call extends CallOptions {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: object;
  readonly json?: unknown;
  readonly form?: Form;
  readonly idempotencyKey?: string;
}

export interface Form {
  /** False for a stream: it can be read only once, so it is sent only once. */
  readonly repeatable: boolean;
  open(): Promise<{ readonly body: FormData | ReadableStream<Uint8Array>; readonly type?: string }>;
}

export type Send = <Answer>(call: Call) => Promise<Answer>;

export function createSend(options: WaybillOptions): Send {
  const { attempts = 5, firstDelay = 500, longestDelay = 60_000 } = options;
  if (!(attempts >= 1)) throw new RangeError("attempts must be at least 1");
  return async <Answer>(call: Call) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await sendOnce(options, call)) as Answer;
      } catch (error) {
        call.signal?.throwIfAborted();
        if (!mayRepeat(error) || call.form?.repeatable === false || attempt >= attempts) throw error;
        const retryAfterMs = (error.retryAfter ?? 0) * 1000;
        if (retryAfterMs > longestDelay) throw error;
        await pause(Math.max(retryAfterMs, withJitter(Math.min(firstDelay * 2 ** (attempt - 1), longestDelay))), call.signal);
      }
    }
  };
}

/**
 * Every call may be repeated: reads and cancelling change nothing the second time, pushes and corrections carry an idempotency key, and a quote
 * that is made twice costs nothing.
 */
export function mayRepeat(error: unknown): error is WaybillError {
  return error instanceof RateLimitedError || error instanceof UnavailableError || error instanceof ConnectionError;
}

async function sendOnce(options: WaybillOptions, call: Call): Promise<unknown> {
  const { apiKey, fetch: send = globalThis.fetch } = options;
  const milliseconds = options.timeout ?? (call.form ? 600_000 : 60_000);
  call.signal?.throwIfAborted();
  const { body, type } = await bodyOf(call);
  const control = new AbortController();
  const stop = () => control.abort(call.signal?.reason);
  const timer = setTimeout(() => control.abort(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  call.signal?.addEventListener("abort", stop, { once: true });
  try {
    const headers = new Headers({ "x-api-key": apiKey, accept: "application/json" });
    if (type !== undefined) headers.set("content-type", type);
    if (call.idempotencyKey !== undefined) headers.set("idempotency-key", call.idempotencyKey);
    const { method } = call;
    const streamed = body instanceof ReadableStream ? { duplex: "half" } : {};
    // A redirect would carry the key to another place.
    const init = { method, headers, redirect: "error", signal: control.signal, ...(body === undefined ? {} : { body }), ...streamed };
    const response = await send(address(options.baseUrl, call), init as RequestInit);
    return await answerOf(response, call);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    if (call.signal?.aborted) throw call.signal.reason;
    const { message } = control.signal.aborted ? (control.signal.reason as Error) : (error as Error);
    const { idempotencyKey } = call;
    const details = { cause: error, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
    throw new ConnectionError(`No answer from ${options.baseUrl}: ${message}`, details);
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener("abort", stop);
  }
}

async function bodyOf(call: Call): Promise<{ readonly body?: NonNullable<RequestInit["body"]>; readonly type?: string }> {
  if (call.form) return call.form.open();
  return call.json === undefined ? {} : { body: JSON.stringify(call.json), type: "application/json" };
}

async function answerOf(response: Response, call: Call): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  throw errorOf(response, parsed(text), call.idempotencyKey);
}

/** Undefined for text that is not JSON: a proxy may answer with an HTML page. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function address(baseUrl: string, { path, query = {} }: Call): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.size === 0 ? "" : `?${parameters}`;
  return `${withoutSlashes(baseUrl)}${path}${search}`;
}

const withoutSlashes = (address: string): string => (address.endsWith("/") ? withoutSlashes(address.slice(0, -1)) : address);

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Every item of a list, page by page: the next page is asked for when the items before it are used up. */
export async function* pages<Item>(
  send: Send,
  path: string,
  query: object = {},
  { signal }: CallOptions = {},
): AsyncGenerator<Item, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Item> = await send({
      ...{ method: "GET", path, query: { ...query, ...(cursor === undefined ? {} : { cursor }) } },
      ...(signal === undefined ? {} : { signal }),
    });
    yield* page.items;
    cursor = page.nextCursor;
  }
}
