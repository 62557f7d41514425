import { hash } from "node:crypto";
import { parse } from "uuid";
import { decide, evolve, type ImportCounts } from "../../../commands/imports/importDecider.js";
import type { LoadedImport } from "../../../commands/imports/importStream.js";
import { type EventContext, encode } from "../../../events/codec.js";
import type { RowOutcome } from "../../../events/importEvents.js";
import { streamOf } from "../../../events/streams.js";
import type { EventChunk, EventStore, Revision } from "../../../ports/eventStore.js";
import type { FileRow } from "../../../ports/spreadsheets.js";

/** Each chunk costs an append call and a transaction, so small chunks are slow. Most chunks reach the limit of bytes first. */
const mostEvents = 2_000;
/** The event store takes 1 MiB per append. */
const mostBytes = 960 * 1024;

export const isFull = (chunk: EventChunk): boolean => chunk.count() >= mostEvents;

export interface ChunkAppending {
  readonly eventStore: Pick<EventStore, "newChunk">;
  readonly loaded: LoadedImport;
  /** Is called before each append with the number of rows done. It throws when this worker may not go on. */
  watch(rows: number): void;
  /** Is called after each acknowledged append. */
  landed(): void;
}

interface ChunkAppender {
  /** An empty chunk. There are two in turns: one is filled while the other is in flight. */
  begin(): EventChunk;
  /** Waits for the append in flight and starts the next. `rows` is the number of rows up to the end of this chunk. */
  append(chunk: EventChunk, rows: number): Promise<void>;
  /** Waits for the append in flight; does not throw. */
  settled(): Promise<void>;
  /** Waits for the append in flight; throws if it failed. */
  end(): Promise<Revision>;
}

export function chunkAppender({ eventStore, loaded, watch, landed }: ChunkAppending): ChunkAppender {
  const stream = streamOf.import(loaded.importId);
  let landing = Promise.resolve(loaded.revision);
  let empty: EventChunk | undefined;
  const land = async (chunk: EventChunk, expected: Revision): Promise<Revision> => {
    const { revision } = await chunk.append(expected);
    empty = chunk;
    landed();
    return revision;
  };
  return {
    begin() {
      const chunk = empty ?? eventStore.newChunk(stream, mostBytes);
      empty = undefined;
      return chunk;
    },
    async append(chunk, rows) {
      const expected = await landing;
      watch(rows);
      landing = land(chunk, expected);
      landing.catch(() => undefined); // the next append, or `end`, rethrows the error
    },
    async settled() {
      await Promise.allSettled([landing]);
    },
    end: () => landing,
  };
}

const mostDigits = 16;

/** UUIDv5 of the import id and the row's ordinal: a row has the same event id at every attempt and in every worker. */
export function rowEventIds(importId: string): (ordinal: number) => string {
  const namespace = parse(importId);
  const bytes = Buffer.alloc(namespace.length + mostDigits);
  bytes.set(namespace);
  const named = Array.from({ length: mostDigits + 1 }, (_, digits) => bytes.subarray(0, namespace.length + digits));
  return (ordinal) => {
    const digits = bytes.write(String(ordinal), namespace.length, "latin1");
    const hex = hash("sha1", named[digits] ?? bytes, "hex");
    const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}

export interface RowRecording extends ChunkAppending {
  readonly context: EventContext;
  readonly rows: AsyncIterable<{ readonly rows: readonly FileRow[] }>;
  outcomeOf(row: FileRow, ordinal: number): RowOutcome;
  /** Is called for every rejected row, also for those recorded before an interruption, since the error report lists all of them. */
  rejected(row: FileRow, number: number, reason: string): Promise<void>;
  /** Is called between rows. A returned promise is awaited, so that other imports of this process get their time. It may throw, as `watch` does. */
  giveWay(): Promise<void> | undefined;
}

/** `giveWay` reads the clock, which is too slow to do for each row. */
const rowsBetweenLooks = 16;

/**
 * Appends an outcome for every row that the stream does not have yet. A row's event is encoded at once, so that its cells can be
 * freed. The next chunk is built while one append is in flight; there is never more than one, at the exact revision it was computed for.
 */
export async function recordRows(recording: RowRecording): Promise<{ loaded: LoadedImport; counts: ImportCounts }> {
  const { loaded, context } = recording;
  const chunks = chunkAppender(recording);
  const idOf = rowEventIds(loaded.importId);
  const tally = { received: 0, accepted: 0, shipments: 0 };
  let state = loaded.state; // includes the events of the append in flight and of the chunk being built
  let chunk = chunks.begin();
  try {
    for await (const { rows } of recording.rows) {
      for (const row of rows) {
        const ordinal = tally.received;
        if (ordinal % rowsBetweenLooks === 0) await recording.giveWay();
        const outcome = recording.outcomeOf(row, ordinal);
        tally.received += 1;
        if (outcome.type === "RowAccepted") {
          tally.accepted += 1;
          tally.shipments = Math.max(tally.shipments, outcome.data.shipment ?? 0);
        } else await recording.rejected(row, outcome.data.row, outcome.data.error);
        for (const { type, data } of decide({ type: "recordRows", first: ordinal, outcomes: [outcome] }, state)) {
          state = evolve(state, outcome);
          const event = encode(type, data as never, context, idOf(ordinal));
          if (chunk.add(event)) continue;
          await chunks.append(chunk, ordinal);
          chunk = chunks.begin();
          chunk.add(event);
        }
        if (isFull(chunk)) {
          await chunks.append(chunk, tally.received);
          chunk = chunks.begin();
        }
      }
      recording.watch(tally.received);
    }
    if (chunk.count() > 0) await chunks.append(chunk, tally.received);
  } finally {
    await chunks.settled(); // also after an error: an append in flight must not land after the turn is given up
  }
  const { received, accepted, shipments } = tally;
  const counts = { received, processed: shipments || accepted, failed: received - accepted };
  return { loaded: { ...loaded, revision: await chunks.end(), state }, counts };
}
