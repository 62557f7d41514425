import { GrpcFailure, Status } from "../protocol/grpc.js";
import { type Block, endOf, type NewBlock } from "./blocks.js";
import type { Storage } from "./storage.js";

export type CommitLog = ReturnType<typeof createCommitLog>;
type BlockListener = (block: Block) => void;

/**
 * Writes all blocks to the storage. Group commit: appends that arrive while a transaction is on its way to the disk share the next one.
 * A write that fails ends the node (`onFailure`), because the state in memory is then ahead of the disk.
 */
export function createCommitLog(storage: Storage, onFailure: (error: unknown) => void) {
  const listeners = new Set<BlockListener>();
  /** The blocks of the next transaction. */
  let group: NewBlock[] = [];
  /** Settles with the last planned transaction. After one has failed, all later ones fail too. */
  let last: Promise<void> = Promise.resolve();
  let reserved = storage.endPosition();
  let committed = reserved;

  async function commitGroup(): Promise<void> {
    await new Promise(setImmediate); // appends that arrive in the same iteration of the event loop join the group
    const blocks = group;
    group = [];
    try {
      const writing = storage.write(blocks);
      if (writing) await writing;
      for (const block of blocks) {
        committed = endOf(block);
        for (const listener of listeners) listener(block);
      }
    } catch (error) {
      onFailure(error);
      throw new GrpcFailure(Status.unavailable, `The event store could not write: ${(error as Error).message}`);
    }
  }

  return {
    /** Where the next event goes. */
    nextPosition: () => reserved,
    /** Everything before this is durable, and every listener has been called. */
    committedEnd: () => committed,

    /** Reserves the blocks' positions at once; resolves when the blocks are durable. */
    append(blocks: readonly NewBlock[]): Promise<void> {
      for (const block of blocks) reserved = endOf(block);
      if (group.length === 0) last = last.then(commitGroup);
      group.push(...blocks);
      return last;
    },

    /** Resolves when everything appended before the call is durable. */
    waitForAppends: () => last,

    subscribe(listener: BlockListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
