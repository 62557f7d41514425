import { type Block, endOf } from "./blocks.js";
import type { Journal } from "./journal.js";
import { createPendingBlocks } from "./pendingBlocks.js";
import type { IndexEntry, Storage } from "./storage.js";

export interface JournaledStorage extends Storage {
  /** Takes everything over into LMDB. */
  settle(): Promise<void>;
}

/**
 * LMDB with a journal before it: a small group is durable in the journal and joins LMDB with the next large one, or when the journal is full.
 * Readers see both as one. What a crash left in the journal is taken over here, before anybody reads.
 */
export async function openJournaledStorage(storage: Storage, journal: Journal): Promise<JournaledStorage> {
  try {
    await recover(storage, journal);
  } catch (error) {
    journal.close();
    throw error;
  }
  const pending = createPendingBlocks();

  async function takeOver(blocks: readonly Block[]): Promise<void> {
    const all = [...pending.all(), ...blocks];
    if (all.length > 0) await storage.write(all);
    storage.refresh();
    pending.clear();
    journal.beginAnew();
  }

  return {
    ...storage,

    async write(blocks) {
      if (!journal.hasRoom(blocks)) return takeOver(blocks);
      await journal.append(blocks);
      pending.add(blocks);
    },
    settle: () => takeOver([]),

    endPosition: () => lastEnd(pending.all()) ?? storage.endPosition(),
    isEmpty: () => pending.all().length === 0 && storage.isEmpty(),
    block: (position) => pending.at(position) ?? storage.block(position),

    *blocksFrom(position) {
      const [late, start] = [pending.all(), pending.start()];
      for (const block of storage.blocksFrom(position)) {
        if (block.position >= start) break;
        if (endOf(block) > position) yield block;
      }
      for (const block of late) if (endOf(block) > position) yield block;
    },

    *blocksBefore(position) {
      const [late, start] = [pending.all(), pending.start()];
      for (let index = late.length - 1; index >= 0; index--) {
        const block = late[index] as Block;
        if (block.position < position) yield block;
      }
      yield* storage.blocksBefore(Math.min(position, start));
    },

    *entriesFrom(stream, revision) {
      const [late, start] = [pending.ofStream(stream), pending.start()];
      for (const entry of storage.entriesFrom(stream, revision)) {
        if (entry.position < start && holdsOrFollows(entry, revision)) yield entry;
      }
      for (const block of late) if (holdsOrFollows(block, revision)) yield block;
    },

    *entriesBack(stream, revision) {
      const [late, start] = [pending.ofStream(stream), pending.start()];
      for (let index = late.length - 1; index >= 0; index--) {
        const block = late[index] as Block;
        if (block.revision <= revision) yield block;
      }
      for (const entry of storage.entriesBack(stream, revision)) if (entry.position < start) yield entry;
    },

    async close() {
      journal.close();
      await storage.close();
    },
  };
}

const lastEnd = (blocks: readonly Block[]): number | undefined => {
  const last = blocks.at(-1);
  return last && endOf(last);
};

const holdsOrFollows = (entry: IndexEntry, revision: number): boolean => entry.revision + entry.count > revision;

async function recover(storage: Storage, journal: Journal): Promise<void> {
  const end = storage.endPosition();
  const left = journal
    .groups()
    .flat()
    .filter(({ position }) => position >= end);
  const [first] = left;
  if (!first) return;
  if (first.position !== end) {
    throw new Error(`the event log ends at ${end} and its journal goes on at ${first.position}: restore both files from one backup`);
  }
  await storage.write(left);
  storage.refresh();
}
