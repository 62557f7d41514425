// What the application needs of the event store: its interface, and functions that compare positions and read a few events.
import { Readable } from "node:stream";

/** A position in the event log's global order. Later events have larger positions. */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The position before the first event. */
export const logStart: Position = { commit: -1n, prepare: -1n };

/** Every position is after undefined. */
export const isAfter = (position: Position, other: Position | undefined): boolean =>
  other === undefined || (position.commit === other.commit ? position.prepare > other.prepare : position.commit > other.commit);

/** The part of the event log, from 0 to 1, that lies before a position. Positions grow with the log's bytes. */
export const fractionOfLog = (position: Position, end: Position | undefined): number =>
  end && end.commit > 0n ? Math.min(1, Number(position.commit) / Number(end.commit)) : 1;

/** An event to be appended. The id makes retries safe: an append with the same ids at the same revision is recorded once. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  /** The event's data, as JSON text. */
  readonly json: string;
  readonly metadata: EventMetadata;
}

export interface EventMetadata {
  readonly organisation: string;
  /** The principal as `kind:id`, such as `worker:<id>`. */
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
  /** By the event store's clock. */
  readonly recordedAt: Date;
}

/** `-1n` means that the stream does not exist yet. */
export type Revision = bigint;
export const noStream: Revision = -1n;

/** Where the last event of an append was recorded. */
export interface AppendResult {
  readonly revision: Revision;
  readonly position: Position;
}

export interface EventBatch {
  readonly events: readonly StoredEvent[];
  /** May be stored as a checkpoint when this batch and all batches before it are handled. */
  readonly position: Position;
  /** True when this batch reaches the end of the event log. A cluster's follower may have an earlier end than its leader. */
  readonly caughtUp: boolean;
}

/** Events of one stream that are appended together. Each is encoded when it is added, so that only its bytes are kept. */
export interface EventChunk {
  count(): number;
  /** False when the event does not fit and has to begin the next chunk. The first event of a chunk always fits. */
  add(event: NewEvent): boolean;
  /** Appends the events as `EventStore.append` does. No event may be added until the promise resolves. The chunk is then empty again. */
  append(expected: Revision): Promise<AppendResult>;
}

export interface EventStore {
  /** Appends after exactly `expected`. Resends an append of unknown outcome by itself. Throws errors of src/portErrors.ts. */
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: Revision,
    /** `withinMs`: the time for all attempts together. */
    patience?: { withinMs?: number },
  ): Promise<AppendResult>;
  /** For appending thousands of events: each chunk becomes one request of at most `maxBytes`, or of one larger event. */
  newChunk(stream: string, maxBytes: number): EventChunk;
  /** Streams events in order; an unknown stream yields nothing. */
  read(stream: string, options?: { from?: Revision; backwards?: boolean; max?: number; signal?: AbortSignal }): AsyncIterable<StoredEvent>;
  /** The newest event of a stream, if any. */
  last(stream: string): Promise<StoredEvent | undefined>;
  /**
   * Calls `onBatch` with the events after `from` (undefined: from the start), and then with each new event, until `signal` aborts.
   * `prefixes` are the beginnings of stream names, `types` those of event types. After a failure it reconnects with a back-off and resumes.
   */
  follow(
    options: ({ prefixes: readonly string[] } | { types: readonly string[] }) & {
      from: Position | undefined;
      maxBatch?: number;
      signal: AbortSignal;
    },
    onBatch: (batch: EventBatch) => Promise<void>,
  ): Promise<void>;
  /**
   * Calls `onBatch` with the events after `from`, up to `until` or up to the present end of the event log, whichever comes first. The last
   * batch ends there. Resolves with the position reached (`from` if the event log is empty). For rebuilds and audits.
   */
  replay(
    options: {
      prefixes: readonly string[];
      from?: Position | undefined;
      until?: Position | undefined;
      maxBatch?: number;
      signal?: AbortSignal;
    },
    onBatch: (batch: EventBatch) => Promise<void>,
  ): Promise<Position | undefined>;
  /** Deletes a stream for good: it can neither be read nor appended to afterwards. Deleting a deleted or unknown stream does nothing. */
  deleteStream(stream: string): Promise<void>;
  /** A cheap round trip, for the readiness check. Throws StoreUnavailable. */
  ping(): Promise<void>;
  /** The present end of the event log; undefined when it is empty. */
  head(): Promise<Position | undefined>;
  close(): Promise<void>;
}

/** All events of a short stream, or of a part of a stream. */
export const eventsOf = (eventStore: Pick<EventStore, "read">, ...part: Parameters<EventStore["read"]>): Promise<StoredEvent[]> =>
  Readable.from(eventStore.read(...part)).toArray();

/** The event at a revision of a stream; undefined when the stream has no such revision. */
export async function eventAt(eventStore: Pick<EventStore, "read">, stream: string, revision: Revision): Promise<StoredEvent | undefined> {
  for await (const event of eventStore.read(stream, { from: revision, max: 1 })) return event.revision === revision ? event : undefined;
  return undefined;
}
