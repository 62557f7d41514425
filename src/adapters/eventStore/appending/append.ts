// Sends an append at its exact revision until the outcome is known. Sending the same ids at the same revision again is always safe: an append
// that had already landed is acknowledged once more, and one that came too late is refused as a wrong version.
import { AppendTooLarge, StoreUnavailable, WrongVersion } from "../../../portErrors.js";
import type { AppendResult, EventStore, Revision } from "../../../ports/eventStore.js";
import { type Connection, type Patience, pauseBeforeRetry, withDeadline } from "../connection.js";
import { actualRevision, definiteFailure, isSilence, serverDefaultBytes, wasNeverSent } from "../failures.js";
import { type BatchRequest, batchRequest, headBytes, requestOf } from "../protocol/batchMessages.js";
import { addEvent, clearEvents, idsIn, noEvents } from "../protocol/proposedEvents.js";
import type { SendBatch } from "./sendBatch.js";

interface AppenderOptions extends Patience {
  readonly connection: Connection;
  readonly send: SendBatch;
  readonly read: EventStore["read"];
}

/** An attempt shorter than this is not worth making. */
const shortestMs = 100;

/** No server takes more in one message, and sending it all the same blocks the connection for all calls. */
const mostBytes = 4 * 1024 * 1024;

/** An append. Its events are only in the request, so that they are not held twice. */
interface PreparedAppend {
  readonly stream: string;
  readonly expected: Revision;
  readonly request: BatchRequest;
  /** How often it was sent. */
  attempts: number;
}

export function createAppender(options: AppenderOptions): Pick<EventStore, "append" | "newChunk"> {
  const deliver = deliverer(options);
  const endOf = (withinMs: number) => performance.now() + Math.min(withinMs, options.patienceMs);
  return {
    async append(stream, events, expected, { withinMs = options.patienceMs } = {}) {
      const end = endOf(withinMs);
      if (events.length === 0) throw new TypeError(`nothing to append to ${stream}`);
      const request = requestOf(stream, events, expected, mostBytes);
      if (!request) throw new AppendTooLarge(serverDefaultBytes);
      return deliver({ stream, expected, request, attempts: 0 }, end);
    },
    newChunk(stream, maxBytes) {
      const head = headBytes(stream);
      const empty = () => noEvents(head, maxBytes - head);
      let events = empty();
      return {
        count: () => events.count,
        add: (event) => addEvent(events, event, events.count === 0 ? Number.POSITIVE_INFINITY : maxBytes - head),
        async append(expected) {
          const end = endOf(options.patienceMs);
          if (events.count === 0) throw new TypeError(`nothing to append to ${stream}`);
          const request = batchRequest(stream, events, expected);
          if (request.bytes.length > mostBytes) throw new AppendTooLarge(serverDefaultBytes);
          const prepared = { stream, expected, request, attempts: 0 };
          const appended = await deliver(prepared, end);
          // New memory for each chunk would make V8 collect the whole heap. But an attempt that was given up may still be sending these bytes.
          events = prepared.attempts === 1 ? clearEvents(events) : empty();
          return appended;
        },
      };
    },
  };
}

function deliverer(options: AppenderOptions): (append: PreparedAppend, end: number) => Promise<AppendResult> {
  const { connection, send, attempts, read } = options;
  return async (append, end) => {
    const { stream, request } = append;
    const what = `an append to ${stream}`;
    let outcomeUnknown = false;
    let lastFailure: unknown;
    for (let attempt = 0; attempt < attempts; attempt++) {
      await pauseBeforeRetry(attempt);
      const left = end - performance.now();
      if (attempt > 0 && left < shortestMs) break;
      const waitMs = Math.min(options.deadlineMs + 250, Math.max(left, shortestMs));
      const client = connection.client();
      try {
        // The client may wait without end for a channel, which its deadline does not cover.
        append.attempts += 1;
        const { revision, position } = await withDeadline(waitMs, what, send(client, request, stream));
        // The acknowledgement of a resend need not carry the position of what had landed before: look it up.
        if (!outcomeUnknown && position) return { revision, position };
        return await findLandedEvents(read, append, revision);
      } catch (error) {
        const earlier = await findEarlierLanding(read, append, error);
        if (earlier) return earlier;
        const definite = definiteFailure(error, stream, what);
        if (definite && !(outcomeUnknown && definite instanceof StoreUnavailable)) throw definite;
        outcomeUnknown ||= !wasNeverSent(error);
        if (isSilence(error)) connection.retire(client);
        lastFailure = error;
      }
    }
    const message = `The event store did not take ${what} in time`;
    throw new StoreUnavailable("event store", message, { cause: lastFailure, outcomeUnknown });
  };
}

/** After a wrong-version answer, reads whether this append's own events are in the stream. Undefined while the outcome is not known. */
async function findEarlierLanding(read: EventStore["read"], append: PreparedAppend, error: unknown): Promise<AppendResult | undefined> {
  if (error instanceof WrongVersion) throw error;
  const actual = actualRevision(error);
  if (actual === undefined) return undefined;
  try {
    return await findLandedEvents(read, append, actual);
  } catch (failure) {
    if (failure instanceof StoreUnavailable) return undefined;
    throw failure;
  }
}

/** Success when this append's events are at the revisions after `expected`, whichever attempt put them there. Else throws WrongVersion. */
async function findLandedEvents(read: EventStore["read"], { stream, request, expected }: PreparedAppend, actual: Revision) {
  const ids = idsIn(request.bytes);
  let matched = 0;
  let last: AppendResult | undefined;
  for await (const event of read(stream, { from: expected + 1n, max: ids.length })) {
    if (event.revision !== expected + 1n + BigInt(matched) || event.id !== ids[matched]) break;
    matched += 1;
    last = { revision: event.revision, position: event.position };
  }
  if (last && matched === ids.length) return last;
  throw new WrongVersion(stream, expected, actual);
}
