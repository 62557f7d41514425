// One client at a time for calls. A client whose call was not answered may take twenty seconds more to notice a dead connection, so it is
// retired, and the next call gets a new client.
import type { EventStoreDBClient } from "@eventstore/db-client";
import { connectClient, shutClient } from "./vendor.js";

export interface Connection {
  client(): EventStoreDBClient;
  /** Replaces this client, unless that has been done already. Its calls under way may finish. */
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
 * A client with a connection of its own. gRPC channels with equal settings share one connection, so a new client would use the old client's
 * dead connection. Each client therefore gets a keep-alive interval that is a millisecond longer. With throwOnAppendFailure a wrong version
 * throws: without it the client reports a wrong revision.
 */
export function newClient(address: string): EventStoreDBClient {
  const interval = Number(/[?&]keepAliveInterval=(\d+)/i.exec(address)?.[1] ?? 10_000) + (clients++ % 1000);
  return connectClient(`${address}${address.includes("?") ? "&" : "?"}keepAliveInterval=${interval}&throwOnAppendFailure=true`);
}
