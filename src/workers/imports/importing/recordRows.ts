import { hash } from "node:crypto";
import { parse } from "uuid";
import { decide, evolve, type ImportCounts, type ImportState } from "../../../commands/imports/importDecider.js";
import type { LoadedImport } from "../../../commands/imports/importStream.js";
import { type EventContext, encode } from "../../../events/codec.js";
import type { RowOutcome } from "../../../events/importEvents.js";
import { streamOf } from "../../../events/streams.js";
import type { EventChunk, EventStore, NewEvent, Revision } from "../../../ports/eventStore.js";
import type { FileRow } from "../../../ports/spreadsheets.js";

/** Each chunk costs an append call and a transaction, so small chunks are slow. Most chunks reach the limit of bytes first. */
const mostEvents = 2_000;
/** The event store takes 1 MiB per append. */
const mostBytes = 960 * 1024;

export interface EventWriting {
  readonly eventStore: Pick<EventStore, "newChunk">;
  readonly loaded: Pick<LoadedImport, "importId" | "revision">;
  /** Is called before each append. It throws when this worker may not go on. */
  check(): void;
  /** Is called after each acknowledged append. */
  landed(): void;
}

export type EventWriter = ReturnType<typeof eventWriter>;

/**
 * Appends an import's events in chunks. The next chunk is filled while one append is in flight; there is never more than one, at the exact
 * revision it was computed for.
 */
export function eventWriter({ eventStore, loaded, check, landed }: EventWriting) {
  const newChunk = () => eventStore.newChunk(streamOf.import(loaded.importId), mostBytes);
  let landing = Promise.resolve(loaded.revision);
  let chunk = newChunk();
  let empty: EventChunk | undefined;
  const land = async (full: EventChunk, expected: Revision): Promise<Revision> => {
    const { revision } = await full.append(expected);
    empty = full;
    landed();
    return revision;
  };
  const append = async (): Promise<void> => {
    const expected = await landing;
    check();
    landing = land(chunk, expected);
    landing.catch(() => undefined); // the next append, or `flush`, rethrows the error
    chunk = empty ?? newChunk();
    empty = undefined;
  };
  return {
    /** Adds an event to the present chunk. A promise where that chunk was full: it is being appended, and the event begins the next one. */
    add(event: NewEvent): Promise<void> | undefined {
      if (chunk.count() < mostEvents && chunk.add(event)) return undefined;
      return append().then(() => void chunk.add(event));
    },
    /** Appends what was added. Resolves when everything is recorded, with the stream's revision. */
    async flush(): Promise<Revision> {
      if (chunk.count() > 0) await append();
      return landing;
    },
    /** Waits for the append in flight; does not throw. */
    async waitForAppend(): Promise<void> {
      await Promise.allSettled([landing]);
    },
  };
}

const mostDigits = 16;

/**
 * UUIDv5 of the import id and the row's ordinal: a row has the same event id at every attempt and in every worker. Takes a quarter of the time that
 * the uuid library takes, which is a tenth of an import's.
 */
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

export interface RowRecording {
  readonly writer: Pick<EventWriter, "add">;
  readonly loaded: LoadedImport;
  readonly context: EventContext;
  readonly rows: AsyncIterable<{ readonly rows: readonly FileRow[] }>;
  outcomeOf(row: FileRow, ordinal: number): RowOutcome;
  /** Is called for every rejected row, also for those recorded before an interruption, since the error report lists all of them. */
  rejected(row: FileRow, number: number, reason: string): Promise<void>;
  /** Is called between rows. A returned promise is awaited, so that other imports of this process get their time. It may throw. */
  giveWay(): Promise<void> | undefined;
  /** Is called with the number of rows done. */
  reached(rows: number): void;
}

/** `giveWay` reads the clock, which is too slow to do for each row. */
const rowsBetweenLooks = 16;

/**
 * Writes an outcome for every row that the stream does not have yet. A row's event is encoded at once, so that its cells can be freed. The last
 * chunk is left to what comes after the rows.
 */
export async function recordRows(recording: RowRecording): Promise<{ state: ImportState; counts: ImportCounts }> {
  const { writer, loaded, context } = recording;
  const idOf = rowEventIds(loaded.importId);
  const tally = { received: 0, accepted: 0, shipments: 0 };
  let state = loaded.state; // includes the events that are not appended yet
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
        const full = writer.add(encode(type, data as never, context, idOf(ordinal)));
        if (full !== undefined) await full;
      }
    }
    recording.reached(tally.received);
  }
  const { received, accepted, shipments } = tally;
  return { state, counts: { received, processed: shipments || accepted, failed: received - accepted } };
}
