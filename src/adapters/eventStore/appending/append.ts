// Sends an append at its exact revision until the outcome is known or its time is up. Sending the same ids at the same revision again is
// always safe: an append that had already landed is acknowledged once more, and an append that came too late is refused as a wrong version.
import { AppendTooLarge, StoreUnavailable, WrongVersion } from "../../../portErrors.js";
import type { AppendResult, EventStore, Revision } from "../../../ports/eventStore.js";
import { type Connection, type Patience, pauseBeforeRetry, withDeadline } from "../connection.js";
import { actualRevision, defaultMaxAppendBytes, definiteFailure, isSilence, wasNeverSent } from "../failures.js";
import { type BatchRequest, batchRequest, encodeAppend, maxHeadBytes } from "../protocol/batchMessages.js";
import { addEvent, clearEvents, createProposedEvents, eventIdsIn } from "../protocol/proposedEvents.js";
import type { SendBatch } from "./sendBatch.js";

interface AppenderOptions extends Patience {
  readonly connection: Connection;
  readonly send: SendBatch;
  readonly read: EventStore["read"];
}

/** An attempt shorter than this is not worth making. */
const minAttemptMs = 100;

/** No server accepts a larger message, and sending one would block the connection for all calls. */
const maxRequestBytes = 4 * 1024 * 1024;

/** An append whose request is encoded. The request is the only copy of its events, so that they are not held twice. */
interface PreparedAppend {
  readonly stream: string;
  readonly expected: Revision;
  readonly request: BatchRequest;
  /** How many times it was sent. */
  timesSent: number;
}

export function createAppender(options: AppenderOptions): Pick<EventStore, "append" | "newChunk"> {
  const deliver = createDeliverer(options);
  const deadlineAt = (withinMs: number) => performance.now() + Math.min(withinMs, options.patienceMs);
  return {
    async append(stream, events, expected, { withinMs = options.patienceMs } = {}) {
      const end = deadlineAt(withinMs);
      if (events.length === 0) throw new TypeError(`nothing to append to ${stream}`);
      const request = encodeAppend(stream, events, expected, maxRequestBytes);
      if (!request) throw new AppendTooLarge(defaultMaxAppendBytes);
      return deliver({ stream, expected, request, timesSent: 0 }, end);
    },
    newChunk(stream, maxBytes) {
      const headBytes = maxHeadBytes(stream);
      const noEvents = () => createProposedEvents(headBytes, maxBytes - headBytes);
      let events = noEvents();
      return {
        count: () => events.count,
        add: (event) => addEvent(events, event, events.count === 0 ? Number.POSITIVE_INFINITY : maxBytes - headBytes),
        async append(expected) {
          const end = deadlineAt(options.patienceMs);
          if (events.count === 0) throw new TypeError(`nothing to append to ${stream}`);
          const request = batchRequest(stream, events, expected);
          if (request.bytes.length > maxRequestBytes) throw new AppendTooLarge(defaultMaxAppendBytes);
          const prepared = { stream, expected, request, timesSent: 0 };
          const appended = await deliver(prepared, end);
          // New memory for each chunk makes V8 collect the whole heap. After a retry it is needed: an earlier attempt may still be sent.
          events = prepared.timesSent === 1 ? clearEvents(events) : noEvents();
          return appended;
        },
      };
    },
  };
}

function createDeliverer(options: AppenderOptions): (append: PreparedAppend, end: number) => Promise<AppendResult> {
  const { connection, send, attempts, read } = options;
  return async (append, end) => {
    const { stream, request } = append;
    const task = `an append to ${stream}`;
    let outcomeUnknown = false;
    let lastFailure: unknown;
    for (let attempt = 0; attempt < attempts; attempt++) {
      await pauseBeforeRetry(attempt);
      const leftMs = end - performance.now();
      if (attempt > 0 && leftMs < minAttemptMs) break;
      const waitMs = Math.min(options.deadlineMs + 250, Math.max(leftMs, minAttemptMs));
      const client = connection.client();
      try {
        append.timesSent += 1;
        // The client's own deadline does not cover its wait for a channel, which may be endless.
        const { revision, position } = await withDeadline(waitMs, task, send(client, request, stream));
        // If an earlier attempt landed, the acknowledgement may lack the position of its events: look it up.
        if (!outcomeUnknown && position) return { revision, position };
        return await findLandedEvents(read, append, revision);
      } catch (error) {
        const earlier = await findEarlierLanding(read, append, error);
        if (earlier) return earlier;
        const definite = definiteFailure(error, stream, task);
        if (definite && !(outcomeUnknown && definite instanceof StoreUnavailable)) throw definite;
        outcomeUnknown ||= !wasNeverSent(error);
        if (isSilence(error)) connection.retire(client);
        lastFailure = error;
      }
    }
    const message = `The event store did not take ${task} in time`;
    throw new StoreUnavailable("event store", message, { cause: lastFailure, outcomeUnknown });
  };
}

/** After a wrong-version answer, looks for this append's own events in the stream. Undefined if the outcome remains unknown. */
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

/** The result if this append's events follow `expected` in the stream, whichever attempt put them there. Otherwise throws WrongVersion. */
async function findLandedEvents(read: EventStore["read"], { stream, request, expected }: PreparedAppend, actual: Revision) {
  const ids = eventIdsIn(request.bytes);
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
