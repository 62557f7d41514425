// Reads one stream, and the end of the log. The client sets no deadline for reads, so this file notices a silent server. A read that breaks
// off is repeated from after the last event that it yielded.
import { StoreUnavailable } from "../../../portErrors.js";
import type { EventStore, Position } from "../../../ports/eventStore.js";
import { type Connection, type Patience, pauseBeforeRetry } from "../connection.js";
import { causeOf, definiteFailure, isNotLeader, isSilence } from "../failures.js";
import { headRequest, streamRequest } from "../protocol/readRequest.js";
import { openReadCall } from "../vendor.js";
import { openEventFeed } from "./eventFeed.js";

/** How many events are read before the caller takes them. */
const maxEventsAhead = 500;
const minAttemptMs = 100;

/** `attempts` and `patienceMs` limit the attempts in a row that bring no event. */
export function createStreamReader(connection: Connection, { deadlineMs, attempts, patienceMs }: Patience): EventStore["read"] {
  return async function* read(stream, { from, backwards = false, max = Number.MAX_SAFE_INTEGER, signal } = {}) {
    let nextRevision = from;
    let remaining = max;
    let failures = 0;
    let end = performance.now() + patienceMs;
    while (remaining > 0) {
      try {
        const silenceMs = Math.min(deadlineMs, Math.max(end - performance.now(), minAttemptMs));
        const request = streamRequest(stream, nextRevision, { backwards, max: remaining });
        for await (const event of readOnce(connection, silenceMs, stream, request, remaining, signal)) {
          failures = 0;
          end = performance.now() + patienceMs;
          remaining -= 1;
          nextRevision = backwards ? event.revision - 1n : event.revision + 1n;
          yield event;
        }
        return;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const definite = definiteFailure(error, stream, `reading ${stream}`);
        if (definite) throw definite;
        failures += 1;
        if (failures >= attempts || performance.now() > end - minAttemptMs)
          throw error instanceof StoreUnavailable ? error : new StoreUnavailable("event store", `reading ${stream}`, { cause: error });
      }
      if (nextRevision !== undefined && nextRevision < 0n) return;
      await pauseBeforeRetry(failures, signal);
    }
  };
}

async function* readOnce(connection: Connection, deadlineMs: number, stream: string, request: Buffer, max: number, signal?: AbortSignal) {
  const client = connection.client();
  const feed = openEventFeed(openReadCall(client, request, true), maxEventsAhead, max);
  try {
    for (let remaining = max; remaining > 0; ) {
      const batch = await feed.take(deadlineMs, signal);
      signal?.throwIfAborted();
      if (batch.state === "silent") throw new StoreUnavailable("event store", `reading ${stream}: nothing for ${deadlineMs} ms`);
      remaining -= batch.events.length;
      yield* batch.events;
      if (batch.state === "ended" || batch.state === "missing") return;
    }
  } catch (error) {
    if (isSilence(error)) connection.retire(client);
    throw error;
  } finally {
    feed.stop();
  }
}

export type ReadHead = (deadlineMs?: number) => Promise<Position | undefined>;

const task = "reading the end of the log";

/** Reads the end of `$all`. That is also the cheapest call that only a working server answers. */
export function createHeadReader(connection: Connection, defaultDeadlineMs: number): ReadHead {
  return (deadlineMs = defaultDeadlineMs) =>
    readHead(connection, deadlineMs).catch((error: unknown) => {
      // The client was connected to a follower, by its settings or after a change of leader. After this error it connects to the leader.
      if (error instanceof StoreUnavailable && isNotLeader(error.cause)) return readHead(connection, deadlineMs);
      throw error;
    });
}

async function readHead(connection: Connection, deadlineMs: number): Promise<Position | undefined> {
  const client = connection.client();
  const feed = openEventFeed(openReadCall(client, headRequest(), true), 1, 1);
  try {
    for (;;) {
      const { state, position } = await feed.take(deadlineMs);
      if (state === "silent") throw new StoreUnavailable("event store", `${task}: no answer within ${deadlineMs} ms`);
      if (state === "ended" || position) return position;
    }
  } catch (error) {
    if (isSilence(error)) connection.retire(client);
    if (error instanceof StoreUnavailable) throw error;
    throw definiteFailure(error, "$all", task) ?? new StoreUnavailable("event store", `${task}: ${causeOf(error)}`, { cause: error });
  } finally {
    feed.stop();
  }
}
