// Helpers for tests of the embedded event store: numbered events, and reading them back.
import { readFileSync } from "node:fs";
import { type EventData, EventStoreDBClient, jsonEvent, type RecordedEvent } from "@eventstore/db-client";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { startEmbeddedEventStore, type TestEventStore } from "../../support/stores/eventStore.js";

/** `WAYBILL_LONG=1` runs the tests with sizes that take minutes. */
export const isLong = process.env["WAYBILL_LONG"] === "1";

interface Started {
  store: TestEventStore;
  client: EventStoreDBClient;
}

/** Starts an event store with a client for all tests of a file. */
export function useEventStore(take: (started: Started) => void): void {
  let started: Started | undefined;
  beforeAll(async () => {
    const store = await startEmbeddedEventStore();
    started = { store, client: EventStoreDBClient.connectionString(`${store.address}&defaultDeadline=120000`) }; // a busy machine may need longer than the 10 s of the client
    take(started);
  });
  afterAll(async () => {
    await started?.client.dispose();
    await started?.store.stop();
  });
}

/** A client for one test, disposed when the test ends. */
export function openClient(address: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(address);
  onTestFinished(() => client.dispose());
  return client;
}

export interface Numbered {
  n: number;
  pad?: string;
}

export const numbered = (from: number, count: number, { type = "Numbered", pad = "" } = {}): EventData[] =>
  Array.from({ length: count }, (_, index) => jsonEvent({ type, data: { n: from + index, pad } }));

export const numberOf = (event: RecordedEvent): number => (event.data as unknown as Numbered).n;

export async function collect(source: AsyncIterable<{ event?: RecordedEvent }>): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const { event } of source) if (event) events.push(event);
  return events;
}

/** Rejects after `ms`, since some of the client's promises never settle. */
export async function within<T>(promise: Promise<T>, what: string, ms = 90_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms: ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes of a process's own memory, without mapped files; undefined where the system does not tell. */
export function ownMemoryOf(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
