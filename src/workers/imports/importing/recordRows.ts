import { decide, evolve, type ImportCounts, type RowOutcome } from "../../../commands/imports/importDecider.js";
import type { LoadedImport } from "../../../commands/imports/importStream.js";
import { type EventContext, encodeText } from "../../../events/codec.js";
import { streamOf } from "../../../events/streams.js";
import type { EventStore, FileRow, NewEvent, Revision } from "../../../ports.js";
import { addTo, type Chunk, emptyChunk, isFull } from "./chunks.js";
import { rowEventIds } from "./rowEventIds.js";

export interface RowRecording {
  readonly eventStore: EventStore;
  readonly loaded: LoadedImport;
  readonly context: EventContext;
  readonly rows: AsyncIterable<{ readonly rows: readonly FileRow[] }>;
  outcomeOf(row: FileRow, ordinal: number): RowOutcome;
  /** Every rejected row, also one that was recorded before an interruption: the report has them all. */
  rejected(row: FileRow, number: number, reason: string): Promise<void>;
  /** Before each append, with the number of rows done; throws when the work may not go on. */
  watch(rows: number): void;
  /** Between rows: something to wait for where this import has worked long enough for now. */
  giveWay(): Promise<void> | undefined;
  /** After each append: the stream is longer than it was. */
  landed(): void;
}

/** Looking at the clock costs as much as some of what is done for a row. */
const rowsBetweenLooks = 16;

/**
 * Appends an outcome for every row that the stream does not have yet. A row is turned into text at once, and what it was made of
 * let go. The next chunk is prepared while the one before is on its way; only one is ever on its way, at the exact revision it was
 * computed for.
 */
export async function recordRows(recording: RowRecording): Promise<{ loaded: LoadedImport; counts: ImportCounts }> {
  const { loaded, context } = recording;
  const log = appendLog(recording);
  const idOf = rowEventIds(loaded.importId);
  const tally = { received: 0, accepted: 0, shipments: 0 };
  let state = loaded.state; // what the import will be once everything on its way has landed
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
          const event = encodeText(type, JSON.stringify(data), context, idOf(ordinal));
          if (!addTo(chunk, event)) {
            await log.append(chunk, ordinal);
            chunk = emptyChunk();
            addTo(chunk, event);
          }
        }
        if (isFull(chunk)) {
          await log.append(chunk, tally.received);
          chunk = emptyChunk();
        }
      }
      recording.watch(tally.received);
    }
    if (chunk.events.length > 0) await log.append(chunk, tally.received);
  } finally {
    await log.settled(); // also when something else failed: nothing of ours may land after we have left
  }
  const { received, accepted, shipments } = tally;
  const counts = { received, processed: shipments || accepted, failed: received - accepted };
  return { loaded: { ...loaded, revision: await log.end(), state }, counts };
}

interface AppendLog {
  /** Waits for the chunk before, and sends this one on its way; `rows` are done then. */
  append(chunk: Chunk, rows: number): Promise<void>;
  settled(): Promise<void>;
  end(): Promise<Revision>;
}

function appendLog({ eventStore, loaded, watch, landed }: RowRecording): AppendLog {
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
      landing.catch(() => undefined); // whoever waits next hears of it
    },
    settled: () => landing.then(noop, noop),
    end: () => landing,
  };
}

const noop = () => undefined;
