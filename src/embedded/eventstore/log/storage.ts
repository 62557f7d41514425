import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, open, type RangeOptions } from "lmdb";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { type Block, decodeBlock, endOf, type NewBlock } from "./blocks.js";

export const dataFileIn = (folder: string): string => join(folder, "events.mdb");

export type Tables = ReturnType<typeof openTables>;

/** `log` has the blocks by position. `index` has the position of each block by its stream's key and first revision. */
export function openTables(folder: string) {
  const root = open({
    path: dataFileIn(folder),
    encoding: "binary",
    maxDbs: 4,
    overlappingSync: false, // a write's promise then resolves only when the data is on the disk and survives a power cut
    eventTurnBatching: false, // CommitLog groups transactions; the library's own grouping rejects a promise that no code can catch
  });
  const log: Database<Buffer, number> = root.openDB("log", { encoding: "binary" });
  const index: Database<Buffer, [string, number]> = root.openDB("index", { encoding: "binary" });
  return { root, log, index };
}

/** The key is a hash, because a stream's name may have any character and be longer than a key can be. */
export const streamKey = (stream: string): string => hash("sha256", stream, "base64url").slice(0, 24);

/** Index entries under [TOMBSTONE, position of the tombstone] hold the keys of streams whose events the next start removes. */
export const TOMBSTONE = "tombstone";

/** The caller has opened a transaction. */
export function putBlock({ log, index }: Pick<Tables, "log" | "index">, block: NewBlock): void {
  void log.put(block.position, block.bytes);
  indexBlock(index, block);
}

export function indexBlock(index: Tables["index"], { stream, revision, position, count }: Block): void {
  const entry = Buffer.allocUnsafe(12);
  entry.writeDoubleBE(position, 0);
  entry.writeUInt32BE(count, 8);
  void index.put([streamKey(stream), revision], entry);
  if (revision >= MAX_INT64) void index.put([TOMBSTONE, position], Buffer.from(streamKey(stream)));
}

export const decodeEntry = (entry: Buffer) => ({ position: entry.readDoubleBE(0), count: entry.readUInt32BE(8) });

/** Position 0 stays free, so that "after position 0" means every event. */
const FIRST_POSITION = 1;

export type Storage = ReturnType<typeof openStorage>;

/** Up to this size a transaction runs in this thread, which is cheaper than LMDB's own thread. A larger one would keep readers waiting. */
const MAX_SYNC_BYTES = 64 * 1024;

export function openStorage(folder: string) {
  mkdirSync(folder, { recursive: true });
  const tables = openTables(folder);
  const { root, log, index } = tables;

  function* blocksOf(options: RangeOptions): Generator<Block> {
    for (const { key, value } of log.getRange(options)) yield decodeBlock(key as number, value);
  }

  function* streamBlocksOf(options: RangeOptions): Generator<Block> {
    for (const { value } of index.getRange(options)) {
      const { position } = decodeEntry(value);
      const bytes = log.get(position);
      if (!bytes) throw new Error(`the log has no block at ${position}`);
      yield decodeBlock(position, bytes);
    }
  }

  return {
    tables,

    /** Writes the blocks in one durable transaction, of which only one may run at a time. Returns undefined if it is already complete. */
    write(blocks: readonly NewBlock[]): Promise<unknown> | undefined {
      const putAll = () => {
        for (const block of blocks) putBlock(tables, block);
      };
      if (totalBytes(blocks) > MAX_SYNC_BYTES) return root.batch(putAll).catch(throwCause);
      root.transactionSync(putAll);
      return undefined;
    },

    endPosition(): number {
      for (const block of blocksOf({ reverse: true, limit: 1 })) return endOf(block);
      return FIRST_POSITION;
    },

    isEmpty: () => log.getKeysCount({ limit: 1 }) === 0,

    /** Blocks in order, beginning with the one that holds `position`. */
    *blocksFrom(position: number): Generator<Block> {
      let start = position;
      for (const key of log.getKeys({ start: position, reverse: true, limit: 1 })) start = key;
      yield* blocksOf({ start });
    },

    /** Blocks that begin before `position`, the latest first. */
    *blocksBefore(position: number): Generator<Block> {
      for (const block of blocksOf({ start: position, reverse: true })) if (block.position < position) yield block;
    },

    /** A stream's blocks in order, beginning with the one that holds `revision`. */
    *streamBlocksFrom(stream: string, revision: number): Generator<Block> {
      const key = streamKey(stream);
      let start = revision;
      for (const found of index.getKeys({ start: [key, revision], end: [key, -1], reverse: true, limit: 1 })) start = found[1];
      yield* streamBlocksOf({ start: [key, start], end: [key, Number.MAX_VALUE] });
    },

    /** A stream's blocks that begin at or before `revision`, the latest first. */
    streamBlocksBack(stream: string, revision: number): Generator<Block> {
      const key = streamKey(stream);
      return streamBlocksOf({ start: [key, revision], end: [key, -1], reverse: true });
    },

    /** The revision of a stream's last event. MAX_INT64 if that is a tombstone, -1 if the stream has no events. */
    headOf(stream: string): number {
      const key = streamKey(stream);
      for (const entry of index.getRange({ start: [key, Number.MAX_VALUE], end: [key, -1], reverse: true, limit: 1 })) {
        return entry.key[1] + decodeEntry(entry.value).count - 1;
      }
      return -1;
    },

    /** Makes the next read see everything that is committed so far. */
    refresh: (): void => root.resetReadTxn(),
    close: () => root.close(),
  };
}

const totalBytes = (blocks: readonly NewBlock[]): number => blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Throws the cause of LMDB's error, with which the error's promise `commitError` rejects. */
async function throwCause(error: Error & { commitError?: Promise<unknown> }): Promise<never> {
  await error.commitError;
  throw error;
}
