// One client at a time for calls. A client whose call went unanswered may sit on a dead connection for another twenty
// seconds before it notices, so it is retired and the next call gets a fresh one.
import { EventStoreDBClient } from "@eventstore/db-client";

export interface Connection {
  client(): EventStoreDBClient;
  /** Gives up on this client unless it was replaced already. Calls still under way on it may finish. */
  retire(client: EventStoreDBClient): void;
  close(): Promise<void>;
}

export function openConnection(address: string, graceMs: number): Connection {
  let current = EventStoreDBClient.connectionString(address);
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
      current = EventStoreDBClient.connectionString(address);
      retired.set(client, setTimeout(() => void shut(client), graceMs).unref());
    },
    async close() {
      await Promise.all([current, ...retired.keys()].map(shut));
    },
  };
}

/** `dispose` ends the client's calls but leaves its socket open, so the channel is closed too. */
export async function shutClient(client: EventStoreDBClient): Promise<void> {
  await client.dispose().catch(() => undefined);
  await client["getChannel"]().then(
    (channel) => channel.close(),
    () => undefined,
  );
}

/** Per-call credentials lead to the client's unary append, which honours deadlines; without TLS the client sends none. */
export function credentialsIn(address: string): { username: string; password: string } | undefined {
  const given = /^esdb(?:\+discover)?:\/\/([^:@/]+):([^@/]+)@/.exec(address);
  if (given?.[1] && given[2]) return { username: decodeURIComponent(given[1]), password: decodeURIComponent(given[2]) };
  return /[?&]tls=false/i.test(address) ? { username: "anonymous", password: "none" } : undefined;
}
