import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { RangeOptions } from "lmdb";
import { type Block, decodeBlock, endOf } from "./blocks.js";
import { openBoundedMap } from "./boundedMap.js";
import type { Tables } from "./tables.js";
import { MAX_INT64 } from "./wire.js";

/** The first event's position; 0 is left free so that "after 0" means everything. */
const FIRST_POSITION = 1;

export interface IndexEntry {
  revision: number;
  count: number;
  position: number;
}

export type Storage = ReturnType<typeof openStorage>;

/** What is about mapped, besides the value, when a key is looked up: the system maps 64 KiB around each page that is touched. */
const LOOK_UP_BYTES = 64 * 1024;

/** Handing a smaller transaction to a thread of LMDB's costs more than the transaction does; a larger one would keep readers waiting. */
const SMALL_BYTES = 64 * 1024;

/** Its generators are to be gone through at once: a read that lasted across an await would find the file closed (see boundedMap). */
export function openStorage(folder: string, mostMapped?: number) {
  mkdirSync(folder, { recursive: true });
  const map = openBoundedMap(folder, mostMapped);

  function* blocksOf(options: RangeOptions): Generator<Block> {
    map.touch(LOOK_UP_BYTES);
    for (const { key, value } of map.tables().log.getRange(options)) {
      map.touch(value.length);
      yield decodeBlock(key as number, value);
    }
  }

  function* entriesOf(options: RangeOptions): Generator<IndexEntry> {
    map.touch(LOOK_UP_BYTES);
    for (const { key, value } of map.tables().index.getRange(options)) yield decodeEntry((key as [string, number])[1], value);
  }

  return {
    claims: () => map.tables().claims,

    /** One durable transaction, one at a time. */
    write: (blocks: readonly Block[]): Promise<void> =>
      map.whileOpen(async (tables) => {
        map.touch(LOOK_UP_BYTES * blocks.length);
        if (blocks.reduce((sum, { bytes }) => sum + bytes.length, 0) <= SMALL_BYTES) writeHere(tables, blocks);
        else await writeAside(tables, blocks);
      }),

    endPosition(): number {
      for (const block of blocksOf({ reverse: true, limit: 1 })) return endOf(block);
      return FIRST_POSITION;
    },

    isEmpty: () => map.tables().log.getKeysCount({ limit: 1 }) === 0,

    block(position: number): Block {
      const bytes = map.tables().log.get(position);
      if (!bytes) throw new Error(`the log has no block at ${position}`);
      map.touch(LOOK_UP_BYTES + bytes.length);
      return decodeBlock(position, bytes);
    },

    /** Blocks from the one that holds `position` on. */
    *blocksFrom(position: number): Generator<Block> {
      let start = position;
      for (const key of map.tables().log.getKeys({ start: position, reverse: true, limit: 1 })) start = key;
      yield* blocksOf({ start, snapshot: true });
    },

    /** Blocks that begin before `position`, the latest first. */
    *blocksBefore(position: number): Generator<Block> {
      for (const block of blocksOf({ start: position, reverse: true })) if (block.position < position) yield block;
    },

    /** A stream's blocks from the one that holds `revision` on. */
    *entriesFrom(stream: string, revision: number): Generator<IndexEntry> {
      const key = streamKey(stream);
      let start = revision;
      const { index } = map.tables();
      for (const found of index.getKeys({ start: [key, revision], end: [key, -1], reverse: true, limit: 1 })) start = found[1];
      yield* entriesOf({ start: [key, start], end: [key, Number.MAX_VALUE] });
    },

    /** A stream's blocks that begin at or before `revision`, the latest first. */
    entriesBack(stream: string, revision: number): Generator<IndexEntry> {
      const key = streamKey(stream);
      return entriesOf({ start: [key, revision], end: [key, -1], reverse: true });
    },

    /** Between reads: makes the next one see everything committed so far. */
    refresh(): void {
      map.rest();
      map.tables().root.resetReadTxn();
    },
    keepOpen: () => map.keepOpen(),
    close: () => map.close(),
  };
}

/** Waits for the disk in this thread. */
function writeHere({ root, log, index }: Tables, blocks: readonly Block[]): void {
  root.transactionSync(() => {
    for (const block of blocks) {
      log.putSync(block.position, block.bytes);
      index.putSync([streamKey(block.stream), block.revision], encodeEntry(block));
    }
  });
}

async function writeAside({ root, log, index }: Tables, blocks: readonly Block[]): Promise<void> {
  const committed = root.batch(() => {
    for (const block of blocks) {
      void log.put(block.position, block.bytes);
      void index.put([streamKey(block.stream), block.revision], encodeEntry(block));
    }
  });
  await committed.catch(throwCause);
}

/** LMDB's error only says that there is another one, in a promise. */
async function throwCause(error: Error & { commitError?: Promise<unknown> }): Promise<never> {
  await error.commitError;
  throw error;
}

/** A stream's last block, and whether it is a tombstone. */
export function lastEntry(storage: Storage, stream: string): { head: number; tombstoned: boolean } {
  for (const entry of storage.entriesBack(stream, Number.MAX_VALUE)) {
    return entry.revision >= MAX_INT64
      ? { head: MAX_INT64, tombstoned: true }
      : { head: entry.revision + entry.count - 1, tombstoned: false };
  }
  return { head: -1, tombstoned: false };
}

/** Names may be longer than a key can be, and hold any character: their hash stands for them. */
const streamKey = (stream: string): string => hash("sha256", stream, "base64url").slice(0, 24);

function encodeEntry(block: Block): Buffer {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeDoubleBE(block.position, 0);
  bytes.writeUInt32BE(block.count, 8);
  return bytes;
}

const decodeEntry = (revision: number, bytes: Buffer): IndexEntry => ({
  revision,
  position: bytes.readDoubleBE(0),
  count: bytes.readUInt32BE(8),
});
