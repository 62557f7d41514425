// What the inside of the application asks of the outside world. Types only: adapters fulfil them, anyone may name them.

/** A place in the event store's one global order. Only grows. */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** An event on its way into a stream. The id makes every retry safe: same id, same revision, recorded once. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

export interface EventMetadata {
  readonly organisation: string;
  /** Who did it: `key:<prefix>`, `cli`, `worker:<id>`. */
  readonly actor: string;
  readonly $correlationId: string;
  readonly $causationId?: string;
  /** Schema version of the event's data. */
  readonly v: number;
}

export interface StoredEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** The event store's own clock. */
  readonly recordedAt: Date;
}

/** `-1n` means that the stream does not exist yet. */
export type Revision = bigint;
export const noStream: Revision = -1n;

export interface EventBatch {
  readonly events: readonly StoredEvent[];
  /** Safe to persist once every event of this batch, and of those before it, has been dealt with. */
  readonly position: Position;
  /** True when the reader had reached the end of the log at this batch. */
  readonly caughtUp: boolean;
}

export interface EventStore {
  /** Appends after exactly `expected`. Resends an append of unknown outcome itself; throws a typed error from src/adapters/eventStore/errors. */
  append(stream: string, events: readonly NewEvent[], expected: Revision): Promise<{ revision: Revision; position: Position }>;
  /** Streams events in order; an unknown stream yields nothing. */
  read(stream: string, options?: { from?: Revision; backwards?: boolean; max?: number; signal?: AbortSignal }): AsyncIterable<StoredEvent>;
  /** The newest event of a stream, if any. */
  last(stream: string): Promise<StoredEvent | undefined>;
  /** Hands over batches of `$all`, restricted to streams with one of these prefixes, for ever: reconnects, backs off, resumes. Ends when `signal` aborts. `from` undefined = from the start; exclusive. */
  follow(
    options: { prefixes: readonly string[]; from: Position | undefined; maxBatch?: number; signal: AbortSignal },
    deal: (batch: EventBatch) => Promise<void>,
  ): Promise<void>;
  /** Reads `$all` from (exclusive) `from` up to the end as it is now, in batches; for rebuilds and audits. */
  replay(
    options: { prefixes: readonly string[]; from?: Position | undefined; maxBatch?: number; signal?: AbortSignal },
    deal: (batch: EventBatch) => Promise<void>,
  ): Promise<Position | undefined>;
  /** Cheap round trip for readiness; throws the typed outage error. */
  ping(): Promise<void>;
  /** The end of `$all` now; undefined when the store is empty. */
  head(): Promise<Position | undefined>;
  close(): Promise<void>;
}

export interface ObjectStore {
  /** Stores a local file under a key, whole or not at all. */
  put(key: string, path: string, options: { contentType: string }): Promise<void>;
  /** Fetches an object into a local file. Throws ObjectMissing when there is none. */
  fetch(key: string, path: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Keys under a prefix with their age, for sweeping orphans. */
  list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date; size: number }>;
  /** A link that anyone holding it may GET until it expires, saved under `downloadName`. */
  link(key: string, options: { downloadName: string; expiresInSeconds: number; now: Date }): Promise<string>;
  ping(): Promise<void>;
}
