import { GrpcFailure, Status } from "../protocol/grpc.js";
import { type Block, endOf, type NewBlock } from "./blocks.js";
import type { Storage } from "./storage.js";

export type CommitLog = ReturnType<typeof createCommitLog>;
type BlockListener = (block: Block) => void;

/**
 * Writes blocks to the storage in group commits: appends that arrive while a transaction is being written share the next one. A failed
 * write ends the node (`onFailure`), because the state in memory is then ahead of the disk.
 */
export function createCommitLog(storage: Storage, onFailure: (error: unknown) => void) {
  const listeners = new Set<BlockListener>();
  /** The blocks of the next transaction. */
  let pendingBlocks: NewBlock[] = [];
  /** Settles with the last planned transaction. After one has failed, all later ones fail too. */
  let lastCommit: Promise<void> = Promise.resolve();
  let reservedEnd = storage.endPosition();
  let committedEnd = reservedEnd;

  async function commitPending(): Promise<void> {
    await new Promise(setImmediate); // appends of the same iteration of the event loop join this transaction
    const blocks = pendingBlocks;
    pendingBlocks = [];
    try {
      const writing = storage.write(blocks);
      if (writing) await writing;
      for (const block of blocks) {
        committedEnd = endOf(block);
        for (const listener of listeners) listener(block);
      }
    } catch (error) {
      onFailure(error);
      throw new GrpcFailure(Status.unavailable, `The event store could not write: ${(error as Error).message}`);
    }
  }

  return {
    /** The position that the next event gets. */
    nextPosition: () => reservedEnd,
    /** Everything before this position is durable, and the listeners have been called with it. */
    committedEnd: () => committedEnd,

    /** Reserves the blocks' positions before it returns. Resolves when the blocks are durable. */
    append(blocks: readonly NewBlock[]): Promise<void> {
      for (const block of blocks) reservedEnd = endOf(block);
      if (pendingBlocks.length === 0) lastCommit = lastCommit.then(commitPending);
      pendingBlocks.push(...blocks);
      return lastCommit;
    },

    /** Resolves when everything appended before the call is durable. */
    waitForAppends: () => lastCommit,

    subscribe(listener: BlockListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
