import type { LoadedImport } from "../../../commands/imports/importStream.js";
import { streamOf } from "../../../events/streams.js";
import type { EventChunk, EventStore, Revision } from "../../../ports/eventStore.js";

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
    settled: () => landing.then(noop, noop),
    end: () => landing,
  };
}

const noop = () => undefined;
