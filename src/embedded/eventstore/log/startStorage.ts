// Opens a data folder for this process alone, and removes the events of tombstoned streams from the log. Before that start readers of
// `$all` get these events, as on EventStoreDB before its next scavenge. Positions stay valid. The last event before the tombstone stays,
// so that a reader that is behind learns how the stream ended.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { takeFolder } from "../../dataFolder.js";
import { encodeHead } from "./blockEncoder.js";
import { decodeBlock, partOf } from "./blocks.js";
import { dataFileIn, decodeEntry, indexBlock, openStorage, putBlock, type Storage, type Tables, TOMBSTONE } from "./storage.js";

/** The data folder belongs to a process that is alive. */
export class FolderInUse extends Error {}

export async function startStorage(folder: string, warn: (message: string, error: unknown) => void) {
  mkdirSync(folder, { recursive: true });
  const lock = await takeFolder(folder, "--data", "eventstore");
  if ("heldBy" in lock) {
    throw new FolderInUse(
      `${folder} is in use by process ${lock.heldBy.pid}: one event store per data folder. Stop that one, or give this one another folder.`,
    );
  }
  try {
    let storage = openStorage(folder);
    storage.refresh(); // to see everything that the folder's last owner wrote
    completeIndex(storage.tables);
    if (removeTombstonedEvents(storage.tables)) storage = await compact(storage, folder, warn);
    return {
      storage,
      /** Afterwards another process may take the folder. */
      close: async () => {
        await storage.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Replaces the file by a copy without free pages. If that is not possible, for example on a full disk, the next start tries again. */
async function compact(storage: Storage, folder: string, warn: (message: string, error: unknown) => void): Promise<Storage> {
  try {
    if (!(await replaceByCopy(storage.tables, dataFileIn(folder)))) return storage;
  } catch (error) {
    warn("deleted events are out of the log, but their bytes may still be in the file: it could not be copied", error);
    return storage;
  }
  await storage.close();
  const copy = openStorage(folder);
  copy.tables.index.removeSync(COPY_NEEDED);
  return copy;
}

/** The key is present if the index has an entry for every block and every tombstone. The folder of an earlier version may lack some. */
const INDEX_COMPLETE: [string, number] = ["noted", 0];
/** The key is present while bytes that were removed from the log may still be in the file. */
const COPY_NEEDED: [string, number] = ["uncopied", 0];
const NO_VALUE = Buffer.alloc(0);

/** A larger file is not copied: the start waits for the copy, which takes some seconds per gibibyte. */
const MAX_COPY_BYTES = 2 * 1024 ** 3;

export function completeIndex({ root, log, index }: Tables): void {
  if (index.get(INDEX_COMPLETE)) return;
  root.transactionSync(() => {
    for (const { key, value } of log.getRange()) indexBlock(index, decodeBlock(key, value));
    index.putSync(INDEX_COMPLETE, NO_VALUE);
  });
}

/** Runs in one transaction, before the node serves anything. Returns whether the file should be copied. */
function removeTombstonedEvents({ root, log, index }: Tables): boolean {
  return root.transactionSync(() => {
    const tombstones = [...index.getRange({ start: [TOMBSTONE, 0], end: [TOMBSTONE, Number.MAX_VALUE] })];
    for (const { key, value } of tombstones) {
      index.removeSync(key);
      if (removeEvents({ log, index }, value.toString())) index.putSync(COPY_NEEDED, NO_VALUE);
    }
    return index.get(COPY_NEEDED) !== undefined;
  });
}

/** Removes a tombstoned stream's events, except the last one before the tombstone. Returns whether it has removed any. */
function removeEvents(tables: Pick<Tables, "log" | "index">, key: string): boolean {
  const { log, index } = tables;
  const entries = [...index.getRange({ start: [key, 0], end: [key, MAX_INT64] })];
  let hasRemoved = false;
  for (const [number, { key: entryKey, value }] of entries.entries()) {
    const { position, count } = decodeEntry(value);
    const isLast = number === entries.length - 1;
    const bytes = log.get(position);
    if (!bytes || (isLast && count === 1)) continue;
    const block = decodeBlock(position, Buffer.from(bytes));
    log.putSync(position, Buffer.alloc(bytes.length)); // removing the block alone would leave its bytes in the page
    log.removeSync(position);
    index.removeSync(entryKey);
    hasRemoved = true;
    if (!isLast) continue;
    const kept = partOf(block, (_, revision) => revision === block.revision + count - 1);
    putBlock(tables, { ...kept, bytes: Buffer.concat([encodeHead(kept), kept.frames]) });
  }
  return hasRemoved;
}

/**
 * Replaces the file by a copy that has only the pages in use. LMDB never overwrites a page in use, so removed bytes may still be in free
 * pages. The open tables still belong to the old file. Returns false if the file is too large to copy.
 */
async function replaceByCopy({ root }: Tables, file: string): Promise<boolean> {
  const copy = `${file}.copy`;
  rmSync(copy, { force: true });
  if (statSync(file).size > MAX_COPY_BYTES) return false;
  try {
    await root.backup(copy, true);
    syncToDisk(copy);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
  renameSync(copy, file);
  syncToDisk(dirname(file));
  return true;
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
