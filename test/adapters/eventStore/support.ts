import { pino } from "pino";
import { v4 } from "uuid";
import { connectEventStore, type EventStoreOptions } from "../../../src/adapters/eventStore/connect.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import type { EventBatch, EventStore, NewEvent, Position, StoredEvent } from "../../../src/ports/eventStore.js";

export const metadata = { organisation: "demo", actor: "cli:cli", $correlationId: "r", v: 1 };

export const connect = (address: string, options: Partial<EventStoreOptions> = {}): EventStore =>
  connectEventStore({ address, logger: pino({ level: "silent" }), ...options });

/** Short deadlines, for tests that wait until the store gives up. */
export const impatient = { deadlineMs: 400, attempts: 2, stallMs: 300 };

/** On a busy machine an impatient store may give up though the server answers. Calls that must succeed are tried again. */
export async function insist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; tries < 50; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
  return work();
}

export const someEvent = (data: unknown = { n: 1 }): NewEvent => ({ id: v4(), type: "RowAccepted", json: JSON.stringify(data), metadata });

export const someEvents = (count: number, first = 0): NewEvent[] =>
  Array.from({ length: count }, (_, index) => someEvent({ n: first + index }));

export const newStream = (prefix = "import-"): string => `${prefix}${v4()}`;

export async function all(events: AsyncIterable<StoredEvent>): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

export const ids = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);

export interface Follower {
  readonly events: StoredEvent[];
  readonly batches: EventBatch[];
  readonly position: () => Position | undefined;
  stop(): Promise<void>;
}

export function follower(
  store: EventStore,
  options: { prefixes: readonly string[]; from?: Position | undefined; maxBatch?: number },
  deal: (batch: EventBatch) => Promise<void> = async () => undefined,
): Follower {
  const events: StoredEvent[] = [];
  const batches: EventBatch[] = [];
  const stopping = new AbortController();
  const running = store.follow({ from: undefined, ...options, signal: stopping.signal }, async (batch) => {
    await deal(batch);
    for (const event of batch.events) events.push(event);
    batches.push(batch);
  });
  running.catch(() => undefined);
  return {
    events,
    batches,
    position: () => batches.at(-1)?.position,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
