// Takes the events of tombstoned streams out of the log when the node starts. Readers of `$all` get them until then, as on the server
// until its next scavenge; positions stay valid. The last event stays: a reader that is behind learns from it how the stream ended.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { MAX_INT64 } from "../../../adapters/eventStore/protobuf.js";
import { encodeHead } from "./blockEncoder.js";
import { type Block, decodeBlock, frameOffsets } from "./blocks.js";
import type { Tables } from "./tables.js";

/** Before a tombstone's position. No stream has this key. */
const TOMBSTONE = "tombstone";
/** Set where every tombstone is noted: folders of earlier versions are searched once. */
const NOTED: [string, number] = ["noted", 0];
/** Set while bytes that were taken out of the log may still be in the file. */
const UNCOPIED: [string, number] = ["uncopied", 0];
const empty = Buffer.alloc(0);

/** Copying takes some seconds per gibibyte, which a start waits for. */
const MOST_COPIED_BYTES = 2 * 1024 ** 3;

/** To be called in the transaction that writes the block. */
export function noteTombstone({ index }: Pick<Tables, "index">, { position }: Block, streamKey: string): void {
  index.putSync([TOMBSTONE, position], Buffer.from(streamKey));
}

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
function empties({ log, index }: Pick<Tables, "log" | "index">, stream: string): boolean {
  const entries = [...index.getRange({ start: [stream, 0], end: [stream, MAX_INT64] })];
  const last = entries.at(-1);
  for (const { key, value } of entries) {
    const position = value.readDoubleBE(0);
    const bytes = log.get(position);
    if (!bytes) continue;
    const block = decodeBlock(position, Buffer.from(bytes));
    if (key === last?.key && block.count === 1) continue;
    log.putSync(position, Buffer.alloc(bytes.length)); // a removal leaves the bytes in the page
    log.removeSync(position);
    index.removeSync(key);
    if (key === last?.key) keepLastEvent({ log, index }, stream, block);
  }
  return entries.length > 1 || (last !== undefined && last.value.readUInt32BE(8) > 1);
}

function keepLastEvent({ log, index }: Pick<Tables, "log" | "index">, stream: string, block: Block): void {
  const offset = frameOffsets(block).at(-1) ?? 0;
  const place = { revision: block.revision + block.count - 1, position: block.position + offset };
  const head = encodeHead({ ...block, revision: place.revision, count: 1 });
  const entry = Buffer.alloc(12);
  entry.writeDoubleBE(place.position, 0);
  entry.writeUInt32BE(1, 8);
  log.putSync(place.position, Buffer.concat([head, block.frames.subarray(offset)]));
  index.putSync([stream, place.revision], entry);
}

/**
 * LMDB never writes over a page that is in use, so that the file still has the bytes in pages that are free: a copy has only what is in use. It
 * takes the file's place and the tables are closed; false where the file is too large for that.
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
  await root.close();
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
