import { type Block, eventAt, frameOffsets } from "./blocks.js";
import type { CommitLog } from "./commitLog.js";
import { lastEntry, type Storage } from "./storage.js";
import { type Retention, retentionOf, storedMetadata } from "./streamMetadata.js";

/** What the writer knows of a stream, events still on their way to the disk included. */
export interface StreamState {
  head: number;
  tombstoned: boolean;
  metadata: Buffer | undefined;
  retention: Retention;
  /** The end of its last block; until the log has committed that far the state is ahead of the disk. */
  writtenTo: number;
}

const KEPT = 10_000;

/** States are loaded on first use and dropped in the order they came, except those that are ahead of the disk. */
export function createStreamStates(storage: Storage, log: CommitLog, kept = KEPT) {
  const states = new Map<string, StreamState>();

  function load(stream: string): StreamState {
    storage.refresh();
    const metadata = storedMetadata(storage, stream);
    return { ...lastEntry(storage, stream), metadata, retention: metadata ? retentionOf(metadata) : {}, writtenTo: 0 };
  }

  function dropOldest(): void {
    for (const [stream, state] of states) {
      if (states.size <= kept) return;
      if (state.writtenTo <= log.committedEnd()) states.delete(stream);
    }
  }

  return {
    of(stream: string): StreamState {
      const known = states.get(stream);
      if (known) return known;
      if (states.size >= kept + kept / 10) dropOldest(); // before it is added: the caller is about to change it
      const state = load(stream);
      states.set(stream, state);
      return state;
    },
    isDurable: (state: StreamState): boolean => state.writtenTo <= log.committedEnd(),
  };
}

export type EventLookup = ReturnType<typeof createEventLookup>;

/** Where a stream's committed events are, by revision; keeps the last block, since questions come in order. */
export function createEventLookup(storage: Storage, stream: string) {
  let block: Block | undefined;
  let offsets: number[] = [];

  function offsetOf(revision: number): number | undefined {
    if (!block || revision < block.revision || revision >= block.revision + block.count) {
      block = undefined;
      for (const entry of storage.entriesBack(stream, revision)) {
        block = storage.block(entry.position);
        offsets = frameOffsets(block);
        break;
      }
    }
    return block ? offsets[revision - block.revision] : undefined;
  }

  return {
    idAt(revision: number): string | undefined {
      const offset = offsetOf(revision);
      return offset === undefined || !block ? undefined : eventAt(block.frames, offset).id;
    },
    placeAt(revision: number): { position: number; createdAt: number } | undefined {
      const offset = offsetOf(revision);
      return offset === undefined || !block ? undefined : { position: block.position + offset, createdAt: block.createdAt };
    },
  };
}
