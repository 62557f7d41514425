import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, open } from "lmdb";
import { type Block, decodeBlock, endOf } from "./blocks.js";
import { MAX_INT64 } from "./wire.js";

/** The first event's position; 0 is left free so that "after 0" means everything. */
const FIRST_POSITION = 1;

export interface IndexEntry {
  revision: number;
  count: number;
  position: number;
}

export type Storage = ReturnType<typeof openStorage>;

/** Two tables: `log`, blocks by position, and `index`, where each stream's blocks are. */
export function openStorage(folder: string) {
  mkdirSync(folder, { recursive: true });
  const root = open({
    path: join(folder, "events.mdb"),
    encoding: "binary",
    maxDbs: 4,
    overlappingSync: false, // so that its promise means what an acknowledgement must: on the disk, also after a power cut
    eventTurnBatching: false, // transactions are ours to group; its own grouping rejects a promise nobody can catch
  });
  const log: Database<Buffer, number> = root.openDB("log", { encoding: "binary" });
  const index: Database<Buffer, [string, number]> = root.openDB("index", { encoding: "binary" });
  const claims: Database<string, string> = root.openDB("claims", { encoding: "string" });

  return {
    claims,

    /** One durable transaction. */
    async write(blocks: readonly Block[]): Promise<void> {
      const committed = root.batch(() => {
        for (const block of blocks) {
          void log.put(block.position, block.bytes);
          void index.put([streamKey(block.stream), block.revision], encodeEntry(block));
        }
      });
      await committed.catch(throwCause);
    },

    endPosition(): number {
      for (const { key, value } of log.getRange({ reverse: true, limit: 1 })) return endOf(decodeBlock(key, value));
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
      for (const { key, value } of log.getRange({ start, snapshot: true })) yield decodeBlock(key, value);
    },

    /** Blocks that begin before `position`, the latest first. */
    *blocksBefore(position: number): Generator<Block> {
      for (const { key, value } of log.getRange({ start: position, reverse: true })) if (key < position) yield decodeBlock(key, value);
    },

    /** A stream's blocks from the one that holds `revision` on. */
    *entriesFrom(stream: string, revision: number): Generator<IndexEntry> {
      const key = streamKey(stream);
      let start = revision;
      for (const found of index.getKeys({ start: [key, revision], end: [key, -1], reverse: true, limit: 1 })) start = found[1];
      for (const { key: found, value } of index.getRange({ start: [key, start], end: [key, Number.MAX_VALUE] })) {
        yield decodeEntry(found[1], value);
      }
    },

    /** A stream's blocks that begin at or before `revision`, the latest first. */
    *entriesBack(stream: string, revision: number): Generator<IndexEntry> {
      const key = streamKey(stream);
      for (const { key: found, value } of index.getRange({ start: [key, revision], end: [key, -1], reverse: true })) {
        yield decodeEntry(found[1], value);
      }
    },

    /** Makes the next read see everything committed so far. */
    refresh: () => root.resetReadTxn(),
    close: () => root.close(),
  };
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
const streamKey = (stream: string): string => createHash("sha256").update(stream).digest("base64url").slice(0, 24);

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
