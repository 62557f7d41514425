import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { RangeOptions } from "lmdb";
import { type Block, decodeBlock, endOf } from "./blocks.js";
import { openBoundedMap } from "./boundedMap.js";
import type { Tables } from "./tables.js";
import { createUnindexed, type Unindexed } from "./unindexed.js";
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

/** So many blocks may be in the log and not yet in the index; at a start they are read again. */
const MOST_UNINDEXED = 250;
/** No stream has this key: the index holds everything before the position that is noted there. */
const INDEXED_TO: [string, number] = ["", 0];

/** Its generators are to be gone through at once: a read that lasted across an await would find the file closed (see boundedMap). */
export function openStorage(folder: string, mostMapped?: number, mostUnindexed = MOST_UNINDEXED) {
  mkdirSync(folder, { recursive: true });
  const map = openBoundedMap(folder, mostMapped);
  let isNoted = false;
  let loaded: Unindexed | undefined;

  /** Not before it is asked for, which is after the folder was claimed: until then its last owner may still be writing. */
  function unindexed(): Unindexed {
    if (loaded) return loaded;
    loaded = createUnindexed();
    const indexedTo = map.tables().index.get(INDEXED_TO)?.readDoubleBE(0);
    isNoted = indexedTo !== undefined;
    if (indexedTo !== undefined) for (const block of blocksOf({ start: indexedTo })) remember(block);
    return loaded;
  }

  function* blocksOf(options: RangeOptions): Generator<Block> {
    map.touch(LOOK_UP_BYTES);
    for (const { key, value } of map.tables().log.getRange(options)) {
      map.touch(value.length);
      yield decodeBlock(key as number, value);
    }
  }

  /** Up to what is not in the index: a transaction that is just done may be seen there before it is cleared here. */
  function* entriesOf(options: RangeOptions, latest: readonly IndexEntry[]): Generator<IndexEntry> {
    map.touch(LOOK_UP_BYTES);
    const end = latest[0]?.revision ?? Number.POSITIVE_INFINITY;
    for (const { key, value } of map.tables().index.getRange(options)) {
      const [, revision] = key as [string, number];
      if (revision < end) yield decodeEntry(revision, value);
    }
  }

  /** A stream begins with its first event or with its tombstone. Two look-ups cost less than a range that is empty, as for every new stream. */
  function isIndexed(key: string): boolean {
    map.touch(LOOK_UP_BYTES);
    const { index } = map.tables();
    return index.get([key, 0]) !== undefined || index.get([key, MAX_INT64]) !== undefined;
  }

  function remember({ stream, position, revision, count }: Block): void {
    unindexed().add(stream, { position, revision, count });
  }

  function endPosition(): number {
    for (const block of blocksOf({ reverse: true, limit: 1 })) return endOf(block);
    return FIRST_POSITION;
  }

  return {
    claims: () => map.tables().claims,

    /** One durable transaction (but for a folder's first), one at a time; undefined where it is done already. */
    write(blocks: readonly Block[]): Promise<void> | undefined {
      const before = unindexed();
      if (!isNoted) map.tables().index.putSync(INDEXED_TO, encodePosition(endPosition())); // new, or from when each block was indexed at once
      isNoted = true;
      const due = before.count() + blocks.length > mostUnindexed;
      map.touch(LOOK_UP_BYTES * (1 + (due ? before.count() : 0)));
      if (!due && isSmall(blocks)) {
        writeHere(map.tables(), blocks);
        blocks.forEach(remember);
        map.rest();
        return undefined;
      }
      return map.whileOpen(async (tables) => {
        await writeAside(tables, blocks, due ? before.all() : undefined);
        if (due) {
          tables.root.resetReadTxn(); // what is forgotten here is to be found there
          before.clear();
        }
        blocks.forEach(remember);
      });
    },

    endPosition,

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
      const latest = unindexed().of(stream);
      const within = latest.findLastIndex((entry) => entry.revision <= revision);
      if (within >= 0) return yield* latest.slice(within);
      let start = revision;
      const { index } = map.tables();
      for (const found of index.getKeys({ start: [key, revision], end: [key, -1], reverse: true, limit: 1 })) start = found[1];
      yield* entriesOf({ start: [key, start], end: [key, Number.MAX_VALUE] }, latest);
      yield* latest;
    },

    /** A stream's blocks that begin at or before `revision`, the latest first. */
    *entriesBack(stream: string, revision: number): Generator<IndexEntry> {
      const key = streamKey(stream);
      const latest = unindexed().of(stream);
      for (let at = latest.length - 1; at >= 0; at--) {
        const entry = latest[at] as IndexEntry;
        if (entry.revision <= revision) yield entry;
      }
      if (latest[0]?.revision !== 0 && isIndexed(key)) yield* entriesOf({ start: [key, revision], end: [key, -1], reverse: true }, latest);
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

function isSmall(blocks: readonly Block[]): boolean {
  return blocks.reduce((sum, { bytes }) => sum + bytes.length, 0) <= SMALL_BYTES;
}

/** Waits for the disk in this thread. */
function writeHere({ root, log }: Tables, blocks: readonly Block[]): void {
  root.transactionSync(() => {
    for (const { position, bytes } of blocks) log.putSync(position, bytes);
  });
}

/** `entries` are those of all blocks before these that the index does not have. */
async function writeAside({ root, log, index }: Tables, blocks: readonly Block[], entries?: Iterable<[string, IndexEntry]>): Promise<void> {
  const committed = root.batch(() => {
    for (const { position, bytes } of blocks) void log.put(position, bytes);
    const [first] = blocks;
    if (!entries || !first) return;
    for (const [stream, entry] of entries) void index.put([streamKey(stream), entry.revision], encodeEntry(entry));
    void index.put(INDEXED_TO, encodePosition(first.position));
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

function encodeEntry({ position, count }: IndexEntry): Buffer {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeDoubleBE(position, 0);
  bytes.writeUInt32BE(count, 8);
  return bytes;
}

function encodePosition(position: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(position, 0);
  return bytes;
}

const decodeEntry = (revision: number, bytes: Buffer): IndexEntry => ({
  revision,
  position: bytes.readDoubleBE(0),
  count: bytes.readUInt32BE(8),
});
