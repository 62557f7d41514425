// One client at a time for calls. A client whose call went unanswered may sit on a dead connection for another twenty
// seconds before it notices, so it is retired and the next call gets a fresh one.
import type { EventStoreDBClient } from "@eventstore/db-client";
import { connectClient, shutClient } from "./vendor.js";

export interface Connection {
  client(): EventStoreDBClient;
  /** Gives up on this client unless it was replaced already. Calls still under way on it may finish. */
  retire(client: EventStoreDBClient): void;
  close(): Promise<void>;
}

export function openConnection(address: string, graceMs: number): Connection {
  let current = newClient(address);
  const retired = new Map<EventStoreDBClient, NodeJS.Timeout>();

  async function shut(client: EventStoreDBClient): Promise<void> {
    clearTimeout(retired.get(client));
    retired.delete(client);
    await shutClient(client);
  }

  return {
    client: () => current,
    retire(client) {
      if (client !== current) return;
      current = newClient(address);
      retired.set(client, setTimeout(() => void shut(client), graceMs).unref());
    },
    async close() {
      await Promise.all([current, ...retired.keys()].map(shut));
    },
  };
}

let clients = 0;

/**
 * A client with a connection of its own. Channels with equal settings share one connection under the hood, so that a new client
 * would sit on the old one's dead connection: each gets a keep-alive interval that is a millisecond longer. And a wrong version
 * must always throw: as a plain result the client reports a wrong revision with it.
 */
export function newClient(address: string): EventStoreDBClient {
  const interval = Number(/[?&]keepAliveInterval=(\d+)/i.exec(address)?.[1] ?? 10_000) + (clients++ % 1000);
  return connectClient(`${address}${address.includes("?") ? "&" : "?"}keepAliveInterval=${interval}&throwOnAppendFailure=true`);
}
