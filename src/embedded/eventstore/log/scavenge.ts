// Takes the events of tombstoned streams out of the log when the node starts. Readers of `$all` get them until then, as on the server
// until its next scavenge; positions stay valid. The last event stays: a reader that is behind learns from it how the stream ended.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/varint.js";
import { encodeHead } from "./blockEncoder.js";
import { decodeBlock, partOf } from "./blocks.js";
import { decodeEntry, putBlock, type Tables, TOMBSTONE } from "./tables.js";

/** Set where every tombstone is noted: folders of earlier versions are searched once. */
const NOTED: [string, number] = ["noted", 0];
/** Set while bytes that were taken out of the log may still be in the file. */
const UNCOPIED: [string, number] = ["uncopied", 0];
const empty = Buffer.alloc(0);

/** Copying takes some seconds per gibibyte, which a start waits for. */
const MOST_COPIED_BYTES = 2 * 1024 ** 3;

/** One transaction, before anything is served. True where the file should be copied. */
export function removeDeleted({ root, log, index }: Tables): boolean {
  return root.transactionSync(() => {
    const noted = [...index.getRange({ start: [TOMBSTONE, 0], end: [TOMBSTONE, Number.MAX_VALUE] })];
    const streams = index.get(NOTED) ? noted.map(({ value }) => value.toString()) : searched(index);
    index.putSync(NOTED, empty);
    for (const { key } of noted) index.removeSync(key);
    if (streams.map((stream) => empties({ log, index }, stream)).includes(true)) index.putSync(UNCOPIED, empty);
    return index.get(UNCOPIED) !== undefined;
  });
}

function searched(index: Tables["index"]): string[] {
  const found: string[] = [];
  for (const [stream, revision] of index.getKeys()) if (revision >= MAX_INT64) found.push(stream);
  return found;
}

/** True where something was taken out. */
function empties(tables: Pick<Tables, "log" | "index">, stream: string): boolean {
  const { log, index } = tables;
  const entries = [...index.getRange({ start: [stream, 0], end: [stream, MAX_INT64] })];
  let hasRemoved = false;
  for (const [number, { key, value }] of entries.entries()) {
    const { position, count } = decodeEntry(value);
    const isLast = number === entries.length - 1;
    const bytes = log.get(position);
    if (!bytes || (isLast && count === 1)) continue;
    const block = decodeBlock(position, Buffer.from(bytes));
    log.putSync(position, Buffer.alloc(bytes.length)); // a removal leaves the bytes in the page
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
 * LMDB never writes over a page that is in use, so that the file still has the bytes in pages that are free: a copy has only what is in use. It
 * takes the file's place, the tables are still those of the old one; false where the file is too large for that.
 */
export async function replaceByCopy({ root }: Tables, file: string): Promise<boolean> {
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

export const noteCopied = ({ index }: Pick<Tables, "index">): void => void index.removeSync(UNCOPIED);

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
