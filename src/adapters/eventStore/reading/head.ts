// Reads the end of `$all`. This is also the cheapest call that only a working server answers.
import { StoreUnavailable } from "../../../portErrors.js";
import type { Position } from "../../../ports/eventStore.js";
import type { Connection } from "../connection.js";
import { definiteFailure, isNotLeader, isSilence, reasonOf } from "../failures.js";
import { readHeadRequest } from "../protocol/readRequest.js";
import { openReadCall } from "../vendor.js";
import { openEventFeed } from "./eventFeed.js";

export type ReadHead = (deadlineMs?: number) => Promise<Position | undefined>;

const what = "reading the end of the log";

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
  const feed = openEventFeed(openReadCall(client, readHeadRequest(), true), 1, 1);
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
