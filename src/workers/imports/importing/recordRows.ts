import { decide, evolve, type ImportCounts, type RowOutcome } from "../../../commands/imports/importDecider.js";
import type { LoadedImport } from "../../../commands/imports/importStream.js";
import { type EventContext, encode } from "../../../events/codec.js";
import type { FileRow } from "../../../ports/spreadsheets.js";
import { type ChunkAppending, chunkAppender, isFull } from "./chunks.js";
import { rowEventIds } from "./rowEventIds.js";

export interface RowRecording extends ChunkAppending {
  readonly context: EventContext;
  readonly rows: AsyncIterable<{ readonly rows: readonly FileRow[] }>;
  outcomeOf(row: FileRow, ordinal: number): RowOutcome;
  /** Is called for every rejected row, also for those recorded before an interruption, since the error report lists all of them. */
  rejected(row: FileRow, number: number, reason: string): Promise<void>;
  /** Is called between rows. A returned promise is awaited, so that other imports of this process get their time. */
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
