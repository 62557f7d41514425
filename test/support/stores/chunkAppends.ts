// An event store in which a test can intercept the chunks of rows that a worker appends.
import type { EventChunk, EventStore } from "../../../src/ports/eventStore.js";

export type AppendChunk = EventChunk["append"];

/** Each append of a chunk of rows goes through `append`; everything else goes as it is. */
export function withChunkAppends(store: EventStore, append: (go: AppendChunk) => AppendChunk): EventStore {
  return {
    ...store,
    newChunk: (...asked) => {
      const chunk = store.newChunk(...asked);
      return { ...chunk, append: append(chunk.append) };
    },
  };
}

/** Calls `before` ahead of each append of a chunk of rows, and waits for it. */
export const beforeChunks = (store: EventStore, before: () => Promise<unknown> | undefined): EventStore =>
  withChunkAppends(store, (go) => async (expected) => {
    await before();
    return go(expected);
  });
