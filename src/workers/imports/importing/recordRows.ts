import { hash } from "node:crypto";
import { parse } from "uuid";
import { decide, evolve, type ImportCounts, type ImportState } from "../../../commands/imports/importDecider.js";
import type { LoadedImport } from "../../../commands/imports/importStream.js";
import { type EventContext, encode } from "../../../events/codec.js";
import type { RowOutcome } from "../../../events/importEvents.js";
import { streamOf } from "../../../events/streams.js";
import type { EventChunk, EventStore, NewEvent, Revision } from "../../../ports/eventStore.js";
import type { FileRow } from "../../../ports/spreadsheets.js";

/** Each chunk costs an append call and a transaction, so small chunks are slow. Most chunks reach the limit of bytes before this one. */
const maxChunkEvents = 2_000;
/** The event store accepts 1 MiB per append. */
const maxChunkBytes = 960 * 1024;

export interface EventWriterOptions {
  readonly eventStore: Pick<EventStore, "newChunk">;
  readonly loaded: Pick<LoadedImport, "importId" | "revision">;
  /** Called before each append. Throws if this worker may not go on. */
  check(): void;
  /** Called after each acknowledged append. */
  onAppended(): void;
}

export type EventWriter = ReturnType<typeof createEventWriter>;

/** Appends an import's events in chunks, one append at a time, each at the exact revision. Fills the next chunk during an append. */
export function createEventWriter({ eventStore, loaded, check, onAppended }: EventWriterOptions) {
  const newChunk = () => eventStore.newChunk(streamOf.import(loaded.importId), maxChunkBytes);
  let lastAppend = Promise.resolve(loaded.revision);
  let chunk = newChunk();
  let spareChunk: EventChunk | undefined; // appended, so its memory can be used again
  const appendChunk = async (fullChunk: EventChunk, expected: Revision): Promise<Revision> => {
    const { revision } = await fullChunk.append(expected);
    spareChunk = fullChunk;
    onAppended();
    return revision;
  };
  const append = async (): Promise<void> => {
    const expected = await lastAppend;
    check();
    lastAppend = appendChunk(chunk, expected);
    lastAppend.catch(() => undefined); // the next append, or `flush`, rethrows the error
    chunk = spareChunk ?? newChunk();
    spareChunk = undefined;
  };
  return {
    /** Adds an event to the current chunk. If it is full, returns a promise: the chunk is appended, and the event begins the next one. */
    add(event: NewEvent): Promise<void> | undefined {
      if (chunk.count() < maxChunkEvents && chunk.add(event)) return undefined;
      return append().then(() => void chunk.add(event));
    },
    /** Appends the last chunk. Resolves with the stream's revision once everything is recorded. */
    async flush(): Promise<Revision> {
      if (chunk.count() > 0) await append();
      return lastAppend;
    },
    /** Waits for the append in flight. Does not throw. */
    async waitForAppend(): Promise<void> {
      await Promise.allSettled([lastAppend]);
    },
  };
}

const maxDigits = 16;

/**
 * Computes the UUIDv5 of the import id and the row's ordinal, so that a row has the same event id at every attempt and in every worker. The
 * uuid library needs four times as long for this, and with it these ids took a tenth of an import's time.
 */
export function rowEventIds(importId: string): (ordinal: number) => string {
  const namespace = parse(importId);
  const bytes = Buffer.alloc(namespace.length + maxDigits);
  bytes.set(namespace);
  const inputsByDigits = Array.from({ length: maxDigits + 1 }, (_, digits) => bytes.subarray(0, namespace.length + digits));
  return (ordinal) => {
    const digits = bytes.write(String(ordinal), namespace.length, "latin1");
    const hex = hash("sha1", inputsByDigits[digits] ?? bytes, "hex");
    const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}

export interface RecordRowsOptions {
  readonly writer: Pick<EventWriter, "add">;
  readonly loaded: LoadedImport;
  readonly context: EventContext;
  readonly rows: AsyncIterable<{ readonly rows: readonly FileRow[] }>;
  outcomeOf(row: FileRow, ordinal: number): RowOutcome;
  /** Called for every rejected row, even one recorded before an interruption, since the error report lists all of them. */
  addRejected(row: FileRow, number: number, reason: string): Promise<void>;
  /** Called every few rows. A returned promise is awaited, so that this process's other imports can run. May throw. */
  giveWay(): Promise<void> | undefined;
  /** Called with the number of rows processed so far. */
  onProgress(rows: number): void;
}

/** `giveWay` reads the clock, which is too slow for each row. */
const rowsBetweenPauses = 16;

/**
 * Writes an outcome for every row that the stream does not have yet. Encodes each row's event before it reads the next row, so that the
 * row's cells can be freed. Does not append the last chunk: the caller adds the completion to it.
 */
export async function recordRows(recording: RecordRowsOptions): Promise<{ state: ImportState; counts: ImportCounts }> {
  const { writer, loaded, context } = recording;
  const idOf = rowEventIds(loaded.importId);
  const tally = { received: 0, accepted: 0, shipments: 0 };
  let state = loaded.state; // includes the events that are not appended yet
  for await (const { rows } of recording.rows) {
    for (const row of rows) {
      const ordinal = tally.received;
      if (ordinal % rowsBetweenPauses === 0) await recording.giveWay();
      const outcome = recording.outcomeOf(row, ordinal);
      tally.received += 1;
      if (outcome.type === "RowAccepted") {
        tally.accepted += 1;
        tally.shipments = Math.max(tally.shipments, outcome.data.shipment ?? 0);
      } else await recording.addRejected(row, outcome.data.row, outcome.data.error);
      for (const { type, data } of decide({ type: "recordRows", first: ordinal, outcomes: [outcome] }, state)) {
        state = evolve(state, outcome);
        const appending = writer.add(encode(type, data as never, context, idOf(ordinal)));
        if (appending !== undefined) await appending;
      }
    }
    recording.onProgress(tally.received);
  }
  const { received, accepted, shipments } = tally;
  return { state, counts: { received, processed: shipments || accepted, failed: received - accepted } };
}
