// Reads one stream, and the end of the log. The client gives reads no deadline at all, so a silent server is noticed here. A read that breaks
// off goes on after the last event it yielded.
import { StoreUnavailable } from "../../../portErrors.js";
import type { EventStore, Position } from "../../../ports/eventStore.js";
import { type Connection, type Patience, pauseBeforeRetry } from "../connection.js";
import { definiteFailure, isNotLeader, isSilence, reasonOf } from "../failures.js";
import { headRequest, streamRequest } from "../protocol/readRequest.js";
import { openReadCall } from "../vendor.js";
import { openEventFeed } from "./eventFeed.js";

const eventsAhead = 500;
/** An attempt shorter than this is not worth making. */
const shortestMs = 100;

/** `patienceMs` is for the attempts in a row that bring no event. */
export function createStreamReader(connection: Connection, { deadlineMs, attempts, patienceMs }: Patience): EventStore["read"] {
  return async function* read(stream, { from, backwards = false, max = Number.MAX_SAFE_INTEGER, signal } = {}) {
    let next = from;
    let left = max;
    let failures = 0;
    let end = performance.now() + patienceMs;
    while (left > 0) {
      try {
        const silenceMs = Math.min(deadlineMs, Math.max(end - performance.now(), shortestMs));
        const request = streamRequest(stream, next, { backwards, max: left });
        for await (const event of readOnce(connection, silenceMs, stream, request, left, signal)) {
          failures = 0;
          end = performance.now() + patienceMs;
          left -= 1;
          next = backwards ? event.revision - 1n : event.revision + 1n;
          yield event;
        }
        return;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const definite = definiteFailure(error, stream, `reading ${stream}`);
        if (definite) throw definite;
        failures += 1;
        if (failures >= attempts || performance.now() > end - shortestMs)
          throw error instanceof StoreUnavailable ? error : new StoreUnavailable("event store", `reading ${stream}`, { cause: error });
      }
      if (next !== undefined && next < 0n) return;
      await pauseBeforeRetry(failures, signal);
    }
  };
}

async function* readOnce(connection: Connection, deadlineMs: number, stream: string, request: Buffer, max: number, signal?: AbortSignal) {
  const client = connection.client();
  const feed = openEventFeed(openReadCall(client, request, true), eventsAhead, max);
  try {
    for (let left = max; left > 0; ) {
      const taken = await feed.take(deadlineMs, signal);
      signal?.throwIfAborted();
      if (taken.state === "silent") throw new StoreUnavailable("event store", `reading ${stream}: nothing for ${deadlineMs} ms`);
      left -= taken.events.length;
      yield* taken.events;
      if (taken.state === "ended" || taken.state === "missing") return;
    }
  } catch (error) {
    if (isSilence(error)) connection.retire(client);
    throw error;
  } finally {
    feed.stop();
  }
}

export type ReadHead = (deadlineMs?: number) => Promise<Position | undefined>;

const what = "reading the end of the log";

/** The end of `$all`: also the cheapest call that only a working server answers. */
export function createHeadReader(connection: Connection, defaultDeadlineMs: number): ReadHead {
  return (deadlineMs = defaultDeadlineMs) =>
    readHead(connection, deadlineMs).catch((error: unknown) => {
      // The client was connected to a follower, by its settings or since the leader changed. After this error it connects to the leader.
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
      if (state === "silent") throw new StoreUnavailable("event store", `${what}: no answer within ${deadlineMs} ms`);
      if (state === "ended" || position) return position;
    }
  } catch (error) {
    if (isSilence(error)) connection.retire(client);
    if (error instanceof StoreUnavailable) throw error;
    throw definiteFailure(error, "$all", what) ?? new StoreUnavailable("event store", `${what}: ${reasonOf(error)}`, { cause: error });
  } finally {
    feed.stop();
  }
}
