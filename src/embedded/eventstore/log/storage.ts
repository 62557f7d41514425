import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { RangeOptions } from "lmdb";
import { MAX_INT64 } from "../../../adapters/eventStore/protobuf.js";
import { type Block, decodeBlock, endOf } from "./blocks.js";
import { noteTombstone } from "./scavenge.js";
import { openTables } from "./tables.js";

/** The first event's position; 0 is left free so that "after 0" means everything. */
const FIRST_POSITION = 1;

export interface IndexEntry {
  revision: number;
  count: number;
  position: number;
}

export type Storage = ReturnType<typeof openStorage>;

/** Handing a smaller transaction to LMDB's own thread costs more than the transaction does; a larger one would keep readers waiting. */
const SMALL_BYTES = 64 * 1024;

/** In folders of earlier versions: the index holds everything before the position that is noted here. No stream has this key. */
const INDEXED_TO: [string, number] = ["", 0];

export function openStorage(folder: string) {
  mkdirSync(folder, { recursive: true });
  const tables = openTables(folder);
  const { root, log, index, claims } = tables;

  function* blocksOf(options: RangeOptions): Generator<Block> {
    for (const { key, value } of log.getRange(options)) yield decodeBlock(key as number, value);
  }

  function* entriesOf(options: RangeOptions): Generator<IndexEntry> {
    for (const { key, value } of index.getRange(options)) yield decodeEntry((key as [string, number])[1], value);
  }

  const indexKey = ({ stream, revision }: Block): [string, number] => [streamKey(stream), revision];

  /** Waits for the disk in this thread. */
  function writeHere(blocks: readonly Block[]): void {
    root.transactionSync(() => {
      for (const block of blocks) {
        log.putSync(block.position, block.bytes);
        index.putSync(indexKey(block), encodeEntry(block));
        if (isTombstone(block)) noteTombstone(tables, block, streamKey(block.stream));
      }
    });
  }

  async function writeAside(blocks: readonly Block[]): Promise<void> {
    const committed = root.batch(() => {
      for (const block of blocks) {
        void log.put(block.position, block.bytes);
        void index.put(indexKey(block), encodeEntry(block));
      }
    });
    await committed.catch(throwCause);
  }

  return {
    claims,
    tables,

    /** One durable transaction, one at a time; undefined where it is done already. */
    write(blocks: readonly Block[]): Promise<void> | undefined {
      if (bytesOf(blocks) > SMALL_BYTES && !blocks.some(isTombstone)) return writeAside(blocks);
      writeHere(blocks);
      return undefined;
    },

    /** Enters blocks in the index that an earlier version left out. Only for a claimed folder: no other process may be writing to it. */
    completeIndex(): void {
      const indexedTo = index.get(INDEXED_TO)?.readDoubleBE(0);
      if (indexedTo === undefined) return;
      root.transactionSync(() => {
        for (const block of blocksOf({ start: indexedTo })) index.putSync(indexKey(block), encodeEntry(block));
        index.removeSync(INDEXED_TO);
      });
    },

    endPosition(): number {
      for (const block of blocksOf({ reverse: true, limit: 1 })) return endOf(block);
      return FIRST_POSITION;
    },

    isEmpty: () => log.getKeysCount({ limit: 1 }) === 0,

    block(position: number): Block {
      const bytes = log.get(position);
      if (!bytes) throw new Error(`the log has no block at ${position}`);
      return decodeBlock(position, bytes);
    },

    /** Blocks from the one that holds `position` on. */
    *blocksFrom(position: number): Generator<Block> {
      let start = position;
      for (const key of log.getKeys({ start: position, reverse: true, limit: 1 })) start = key;
      yield* blocksOf({ start });
    },

    /** Blocks that begin before `position`, the latest first. */
    *blocksBefore(position: number): Generator<Block> {
      for (const block of blocksOf({ start: position, reverse: true })) if (block.position < position) yield block;
    },

    /** A stream's blocks from the one that holds `revision` on. */
    *entriesFrom(stream: string, revision: number): Generator<IndexEntry> {
      const key = streamKey(stream);
      let start = revision;
      for (const found of index.getKeys({ start: [key, revision], end: [key, -1], reverse: true, limit: 1 })) start = found[1];
      yield* entriesOf({ start: [key, start], end: [key, Number.MAX_VALUE] });
    },

    /** A stream's blocks that begin at or before `revision`, the latest first. */
    *entriesBack(stream: string, revision: number): Generator<IndexEntry> {
      const key = streamKey(stream);
      yield* entriesOf({ start: [key, revision], end: [key, -1], reverse: true });
    },

    /** Between reads: makes the next one see everything committed so far. */
    refresh: (): void => root.resetReadTxn(),
    close: () => root.close(),
  };
}

const bytesOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);

const isTombstone = ({ revision }: Block): boolean => revision >= MAX_INT64;

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

function encodeEntry({ position, count }: Block): Buffer {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeDoubleBE(position, 0);
  bytes.writeUInt32BE(count, 8);
  return bytes;
}

const decodeEntry = (revision: number, bytes: Buffer): IndexEntry => ({
  revision,
  position: bytes.readDoubleBE(0),
  count: bytes.readUInt32BE(8),
});
