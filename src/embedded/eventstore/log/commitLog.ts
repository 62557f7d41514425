import { unavailable } from "../protocol/grpcErrors.js";
import { type Block, endOf } from "./blocks.js";
import type { Storage } from "./storage.js";

export type CommitLog = ReturnType<typeof createCommitLog>;
export type BlockListener = (block: Block) => void;

interface Waiting {
  blocks: readonly Block[];
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * The one writer. Group commit: what arrives while a transaction is on its way to the disk shares the next one.
 * A write that fails ends the node (`onFailure`): what it promised itself in memory no longer matches the disk.
 */
export function createCommitLog(storage: Storage, onFailure: (error: unknown) => void) {
  const listeners = new Set<BlockListener>();
  let waiting: Waiting[] = [];
  let running = false;
  let reserved = storage.endPosition();
  let committed = reserved;
  let failure: unknown;

  async function commitAll(): Promise<void> {
    await new Promise(setImmediate); // appends that arrive in the same turn join the group
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      const all = group.flatMap(({ blocks }) => blocks);
      try {
        const writing = all.length > 0 ? storage.write(all) : undefined; // there are none when a call only waits for the appends before it
        if (writing) await writing;
      } catch (error) {
        failure = unavailable(`The event store could not write: ${(error as Error).message}`);
        for (const { failed } of [...group, ...waiting]) failed(failure);
        onFailure(error);
        return;
      }
      for (const { blocks, done } of group) {
        publish(blocks);
        done();
      }
    }
    running = false;
  }

  function publish(blocks: readonly Block[]): void {
    for (const block of blocks) {
      committed = endOf(block);
      for (const listener of listeners) listener(block);
    }
  }

  function enqueue(blocks: readonly Block[]): Promise<void> {
    if (failure) return Promise.reject(failure);
    return new Promise((done, failed) => {
      waiting.push({ blocks, done, failed });
      if (running) return;
      running = true;
      void commitAll();
    });
  }

  return {
    /** Where the next event goes. */
    nextPosition: () => reserved,
    /** Everything before this is durable, and every listener has been called. */
    committedEnd: () => committed,

    /** Takes the blocks' place in the log at once; resolves when they are durable. */
    append(blocks: readonly Block[]): Promise<void> {
      const last = blocks.at(-1);
      if (last) reserved = endOf(last);
      return enqueue(blocks);
    },

    /** Resolves when everything appended before the call is durable. */
    settled: () => (committed === reserved && !failure ? Promise.resolve() : enqueue([])),

    subscribe(listener: BlockListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
