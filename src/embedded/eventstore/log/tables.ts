import { hash } from "node:crypto";
import { join } from "node:path";
import { type Database, open } from "lmdb";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/varint.js";
import type { Block, NewBlock } from "./blocks.js";

export const fileOf = (folder: string): string => join(folder, "events.mdb");

export type Tables = ReturnType<typeof openTables>;

/** `log`, blocks by position; `index`, where each stream's blocks are; and `claims`, whose the folder is. */
export function openTables(folder: string) {
  const root = open({
    path: fileOf(folder),
    encoding: "binary",
    maxDbs: 4,
    overlappingSync: false, // a write's promise then resolves when the data is on the disk and would survive a power cut
    eventTurnBatching: false, // the log groups transactions itself; the library's grouping rejects a promise that cannot be caught
  });
  const log: Database<Buffer, number> = root.openDB("log", { encoding: "binary" });
  const index: Database<Buffer, [string, number]> = root.openDB("index", { encoding: "binary" });
  const claims: Database<string, string> = root.openDB("claims", { encoding: "string" });
  return { root, log, index, claims };
}

/** The hash of a stream's name, which may be longer than a key can be and may have any character. */
export const streamKey = (stream: string): string => hash("sha256", stream, "base64url").slice(0, 24);

/** Index entries under [TOMBSTONE, position of the tombstone] name the streams that a scavenge has to empty. No stream has this key. */
export const TOMBSTONE = "tombstone";

/** Call it in a transaction. */
export function putBlock({ log, index }: Pick<Tables, "log" | "index">, block: NewBlock): void {
  void log.put(block.position, block.bytes);
  putEntry(index, block);
  if (block.revision >= MAX_INT64) void index.put([TOMBSTONE, block.position], Buffer.from(streamKey(block.stream)));
}

export function putEntry(index: Tables["index"], { stream, revision, position, count }: Block): void {
  const entry = Buffer.allocUnsafe(12);
  entry.writeDoubleBE(position, 0);
  entry.writeUInt32BE(count, 8);
  void index.put([streamKey(stream), revision], entry);
}

export const decodeEntry = (entry: Buffer) => ({ position: entry.readDoubleBE(0), count: entry.readUInt32BE(8) });
