// All calls but subscriptions share one client. After a call without an answer, that client may take twenty more seconds to notice that its
// connection is dead. So it is retired, and the next call gets a new client.
import { setTimeout as pause } from "node:timers/promises";
import { ANY, EventStoreDBClient } from "@eventstore/db-client";
import { backOffMs } from "../../backOff.js";
import { StoreUnavailable, StreamDeleted } from "../../portErrors.js";
import { withTimeLimit } from "../../timeLimit.js";
import { definiteFailure, isSilence } from "./failures.js";
import { closeClient } from "./vendor.js";

export type Connection = ReturnType<typeof openConnection>;

export function openConnection(address: string, graceMs: number) {
  let current = newClient(address);
  const retired = new Map<EventStoreDBClient, NodeJS.Timeout>();

  async function closeNow(client: EventStoreDBClient): Promise<void> {
    clearTimeout(retired.get(client));
    retired.delete(client);
    await closeClient(client);
  }

  return {
    client: () => current,
    /** Replaces this client, unless it was replaced already. Its open calls have `graceMs` to finish. */
    retire(client: EventStoreDBClient): void {
      if (client !== current) return;
      current = newClient(address);
      retired.set(client, setTimeout(() => void closeNow(client), graceMs).unref());
    },
    async close(): Promise<void> {
      await Promise.all([current, ...retired.keys()].map(closeNow));
    },
  };
}

let clientCount = 0;

/**
 * A client with a connection of its own. gRPC channels with equal settings share one connection, so a new client would use the old client's
 * dead connection. Each client therefore gets a keep-alive interval a millisecond longer than the last one. throwOnAppendFailure makes the
 * client throw when the expected revision does not match: the result that it would return instead names an incorrect revision.
 */
export function newClient(address: string): EventStoreDBClient {
  const interval = Number(/[?&]keepAliveInterval=(\d+)/i.exec(address)?.[1] ?? 10_000) + (clientCount++ % 1000);
  return EventStoreDBClient.connectionString(
    `${address}${address.includes("?") ? "&" : "?"}keepAliveInterval=${interval}&throwOnAppendFailure=true`,
  );
}

/** `attempts` is the largest number of attempts, `deadlineMs` the time for each, `patienceMs` the time for all together. */
export interface Patience {
  readonly deadlineMs: number;
  readonly attempts: number;
  readonly patienceMs: number;
}

/**
 * Deletes a stream for good, by a tombstone, so that nothing is ever appended to it again. Deleting it twice changes nothing, so a delete
 * of unknown outcome is sent again.
 */
export function createStreamDeleter(connection: Connection, { deadlineMs, attempts }: Patience): (stream: string) => Promise<void> {
  return async (stream) => {
    const task = `deleting ${stream}`;
    let lastFailure: unknown;
    for (let attempt = 0; attempt < attempts; attempt++) {
      await pauseBeforeRetry(attempt);
      const client = connection.client();
      try {
        await withDeadline(deadlineMs + 250, task, client.tombstoneStream(stream, { expectedRevision: ANY, deadline: deadlineMs }));
        return;
      } catch (error) {
        const definite = definiteFailure(error, stream, task);
        if (definite instanceof StreamDeleted) return;
        if (definite) throw definite;
        if (isSilence(error)) connection.retire(client);
        lastFailure = error;
      }
    }
    throw new StoreUnavailable("event store", `The event store did not answer ${task} in time`, { cause: lastFailure });
  };
}

/** Fails with StoreUnavailable when the promise has not settled in time; the client's own deadlines do not cover everything. */
export function withDeadline<T>(maxMs: number, task: string, promise: Promise<T>): Promise<T> {
  return withTimeLimit(maxMs, promise, () => {
    throw new StoreUnavailable("event store", `${task}: no answer within ${maxMs} ms`);
  });
}

/** Does not pause before the first retry, since a lost connection has been replaced by then. */
export async function pauseBeforeRetry(failures: number, signal?: AbortSignal): Promise<void> {
  if (failures <= 1) return;
  await pauseFor(backOffMs(failures - 1, { firstMs: 25, maxMs: 1000 }), signal);
}

export const pauseFor = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  pause(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined);
