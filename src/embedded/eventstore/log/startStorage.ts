// Opens a data folder for this process alone. Then it removes the events of tombstoned streams from the log. Readers of `$all` get them until
// then, as on EventStoreDB until its next scavenge; positions stay valid. The last event before the tombstone stays: a reader that is behind
// learns from it how the stream ended.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { takeFolder } from "../../dataFolder.js";
import { encodeHead } from "./blockEncoder.js";
import { decodeBlock, partOf } from "./blocks.js";
import { decodeEntry, enterBlock, fileOf, openStorage, putBlock, type Storage, type Tables, TOMBSTONE } from "./storage.js";

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
    storage.refresh(); // makes everything visible that the folder's last owner wrote
    completeIndex(storage.tables);
    if (removeDeleted(storage.tables)) storage = await copied(storage, folder, warn);
    return {
      storage,
      /** Another process may then take the folder. */
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

/** If the disk has no room for a copy, the next start tries again. */
async function copied(storage: Storage, folder: string, warn: (message: string, error: unknown) => void): Promise<Storage> {
  try {
    if (!(await replaceByCopy(storage.tables, fileOf(folder)))) return storage;
  } catch (error) {
    warn("deleted events are out of the log, but their bytes may still be in the file: it could not be copied", error);
    return storage;
  }
  await storage.close();
  const copy = openStorage(folder);
  copy.tables.index.removeSync(UNCOPIED);
  return copy;
}

/** Present when the index has an entry for every block and every tombstone. The folder of an earlier version may lack some. */
const NOTED: [string, number] = ["noted", 0];
/** Present while bytes that were removed from the log may still be in the file. */
const UNCOPIED: [string, number] = ["uncopied", 0];
const empty = Buffer.alloc(0);

/** A larger file is not copied: the start waits for the copy, which takes some seconds per gibibyte. */
const MOST_COPIED_BYTES = 2 * 1024 ** 3;

export function completeIndex({ root, log, index }: Tables): void {
  if (index.get(NOTED)) return;
  root.transactionSync(() => {
    for (const { key, value } of log.getRange()) enterBlock(index, decodeBlock(key, value));
    index.putSync(NOTED, empty);
  });
}

/** Runs in one transaction, before the node serves anything. True when the file should be copied. */
function removeDeleted({ root, log, index }: Tables): boolean {
  return root.transactionSync(() => {
    const noted = [...index.getRange({ start: [TOMBSTONE, 0], end: [TOMBSTONE, Number.MAX_VALUE] })];
    for (const { key, value } of noted) {
      index.removeSync(key);
      if (emptyStream({ log, index }, value.toString())) index.putSync(UNCOPIED, empty);
    }
    return index.get(UNCOPIED) !== undefined;
  });
}

/** True when an event was removed. */
function emptyStream(tables: Pick<Tables, "log" | "index">, stream: string): boolean {
  const { log, index } = tables;
  const entries = [...index.getRange({ start: [stream, 0], end: [stream, MAX_INT64] })];
  let hasRemoved = false;
  for (const [number, { key, value }] of entries.entries()) {
    const { position, count } = decodeEntry(value);
    const isLast = number === entries.length - 1;
    const bytes = log.get(position);
    if (!bytes || (isLast && count === 1)) continue;
    const block = decodeBlock(position, Buffer.from(bytes));
    log.putSync(position, Buffer.alloc(bytes.length)); // a removal alone leaves the bytes in the page
    log.removeSync(position);
    index.removeSync(key);
    hasRemoved = true;
    if (!isLast) continue;
    const kept = partOf(block, (_, revision) => revision === block.revision + count - 1);
    putBlock(tables, { ...kept, bytes: Buffer.concat([encodeHead(kept), kept.frames]) });
  }
  return hasRemoved;
}

/**
 * LMDB never overwrites a page that is in use, so the removed bytes may still be in free pages of the file. A copy has only the pages in use.
 * The copy takes the file's place, while the open tables still belong to the old file. False when the file is too large to be copied.
 */
async function replaceByCopy({ root }: Tables, file: string): Promise<boolean> {
  const copy = `${file}.copy`;
  rmSync(copy, { force: true });
  if (statSync(file).size > MOST_COPIED_BYTES) return false;
  try {
    await root.backup(copy, true);
    sync(copy);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
  renameSync(copy, file);
  sync(dirname(file));
  return true;
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
