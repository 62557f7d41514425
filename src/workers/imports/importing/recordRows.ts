import { decide, evolve, type ImportCounts, type RowOutcome } from "../../../commands/imports/importDecider.js";
import type { LoadedImport } from "../../../commands/imports/importStream.js";
import { type EventContext, encode } from "../../../events/codec.js";
import { streamOf } from "../../../events/streams.js";
import type { EventStore, NewEvent, Revision } from "../../../ports/eventStore.js";
import type { FileRow } from "../../../ports/spreadsheets.js";
import { addTo, type Chunk, emptyChunk, isFull } from "./chunks.js";
import { rowEventIds } from "./rowEventIds.js";

export interface RowRecording {
  readonly eventStore: EventStore;
  readonly loaded: LoadedImport;
  readonly context: EventContext;
  readonly rows: AsyncIterable<{ readonly rows: readonly FileRow[] }>;
  outcomeOf(row: FileRow, ordinal: number): RowOutcome;
  /** Is called for every rejected row, also for those recorded before an interruption, since the error report lists all of them. */
  rejected(row: FileRow, number: number, reason: string): Promise<void>;
  /** Is called before each append with the number of rows done. It throws when this worker may not go on. */
  watch(rows: number): void;
  /** Is called between rows. A returned promise is awaited, so that other imports of this process get their time. */
  giveWay(): Promise<void> | undefined;
  /** Is called after each acknowledged append. */
  landed(): void;
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
  let chunk = emptyChunk();
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
          if (!addTo(chunk, event)) {
            await chunks.append(chunk, ordinal);
            chunk = emptyChunk();
            addTo(chunk, event);
          }
        }
        if (isFull(chunk)) {
          await chunks.append(chunk, tally.received);
          chunk = emptyChunk();
        }
      }
      recording.watch(tally.received);
    }
    if (chunk.events.length > 0) await chunks.append(chunk, tally.received);
  } finally {
    await chunks.settled(); // also after an error: an append in flight must not land after the turn is given up
  }
  const { received, accepted, shipments } = tally;
  const counts = { received, processed: shipments || accepted, failed: received - accepted };
  return { loaded: { ...loaded, revision: await chunks.end(), state }, counts };
}

interface ChunkAppender {
  /** Waits for the append in flight and starts the next. `rows` is the number of rows up to the end of this chunk. */
  append(chunk: Chunk, rows: number): Promise<void>;
  /** Waits for the append in flight; does not throw. */
  settled(): Promise<void>;
  /** Waits for the append in flight; throws if it failed. */
  end(): Promise<Revision>;
}

function chunkAppender({ eventStore, loaded, watch, landed }: RowRecording): ChunkAppender {
  const stream = streamOf.import(loaded.importId);
  let landing = Promise.resolve(loaded.revision);
  const land = async (events: readonly NewEvent[], expected: Revision): Promise<Revision> => {
    const { revision } = await eventStore.append(stream, events, expected);
    landed();
    return revision;
  };
  return {
    async append({ events }, rows) {
      const expected = await landing;
      watch(rows);
      landing = land(events, expected);
      landing.catch(() => undefined); // the next append, or `end`, rethrows the error
    },
    settled: () => landing.then(noop, noop),
    end: () => landing,
  };
}

const noop = () => undefined;
