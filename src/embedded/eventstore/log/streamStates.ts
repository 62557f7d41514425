import type { CommitLog } from "./commitLog.js";
import type { Storage } from "./storage.js";
import { storedMetadata } from "./streamMetadata.js";

/** What the writer knows of a stream, events still on their way to the disk included. */
export interface StreamState {
  /** MAX_INT64 where it is tombstoned. */
  head: number;
  metadata: Buffer | undefined;
  /** The end of its last block; until the log has committed that far the state is ahead of the disk. */
  writtenTo: number;
}

const KEPT = 10_000;

/** States are loaded on first use. When there are too many all are dropped, except those that are ahead of the disk. */
export function createStreamStates(storage: Storage, log: CommitLog, kept = KEPT) {
  const states = new Map<string, StreamState>();
  const isDurable = (state: StreamState): boolean => state.writtenTo <= log.committedEnd();

  function load(stream: string): StreamState {
    storage.refresh();
    return { head: storage.headOf(stream), metadata: storedMetadata(storage, stream), writtenTo: 0 };
  }

  return {
    isDurable,
    of(stream: string): StreamState {
      const known = states.get(stream);
      if (known) return known;
      // Before the new state is added: the caller is about to change that one, so it has to stay.
      if (states.size >= kept) for (const [name, state] of states) if (isDurable(state)) states.delete(name);
      const state = load(stream);
      states.set(stream, state);
      return state;
    },
  };
}
