import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, write, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type Block, decodeBlock, endOf } from "./blocks.js";

/** Full after some 250 appends: enough that the transaction which then takes them over hardly counts for each. */
const JOURNAL_BYTES = 1024 * 1024;
/** A larger group goes into LMDB at once: written twice it would cost more than it saves. */
const RECORD_BYTES = 64 * 1024;
/** Each record begins a page of its own, so that a power cut while one is written cannot touch another. */
const PAGE_BYTES = 4096;
/** Checksum of all that follows, length, position of the first block. */
const HEAD_BYTES = 16;

export type Journal = ReturnType<typeof openJournal>;

/**
 * One file of fixed size with the groups that LMDB does not have yet, one record each. A group is then durable after one write to pages
 * that are there already; LMDB writes half a dozen, and waits for the disk twice.
 */
export function openJournal(folder: string, size = JOURNAL_BYTES) {
  // O_DSYNC: a write that has returned is on the disk, also after a power cut.
  const fd = openSync(join(folder, "journal"), constants.O_RDWR | constants.O_CREAT | constants.O_DSYNC);
  allocate(fd, folder, size);
  const record = Buffer.alloc(RECORD_BYTES);
  let at = 0;

  return {
    /** The groups that were written since it last began anew, whether LMDB has them by now or not. */
    groups(): Block[][] {
      const bytes = Buffer.alloc(fstatSync(fd).size);
      for (let read = 0; read < bytes.length; ) {
        const more = readSync(fd, bytes, read, bytes.length - read, read);
        if (more === 0) break;
        read += more;
      }
      return groupsIn(bytes);
    },

    hasRoom(blocks: readonly Block[]): boolean {
      const length = recordLength(blocks);
      return length <= RECORD_BYTES && at + length <= size;
    },

    /** Resolves when the group is durable. One at a time. */
    async append(blocks: readonly Block[]): Promise<void> {
      const length = encodeRecord(record, blocks);
      await writeWhole(fd, record, length, at);
      at = nextPage(at + length);
    },

    /** LMDB has everything: the next record goes over the first one, and what lies behind it no longer follows. */
    beginAnew(): void {
      at = 0;
    },

    close: () => closeSync(fd),
  };
}

/** Written out in full, so that a later write changes nothing but data, and cannot find the disk full. */
function allocate(fd: number, folder: string, size: number): void {
  const there = fstatSync(fd).size;
  if (there >= size) return;
  const zeros = Buffer.alloc(size - there);
  for (let done = 0; done < zeros.length; ) done += writeSync(fd, zeros, done, zeros.length - done, there + done);
  fsyncSync(fd);
  const directory = openSync(folder, constants.O_RDONLY);
  fsyncSync(directory); // its name, too
  closeSync(directory);
}

function writeWhole(fd: number, bytes: Buffer, length: number, at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, length, at, (error, written) => {
      if (error) reject(error);
      else if (written < length) reject(new Error(`the journal took ${written} of ${length} bytes`));
      else resolve();
    });
  });
}

const nextPage = (offset: number): number => Math.ceil(offset / PAGE_BYTES) * PAGE_BYTES;

const recordLength = (blocks: readonly Block[]): number => blocks.reduce((sum, { bytes }) => sum + 4 + bytes.length, HEAD_BYTES);

function encodeRecord(target: Buffer, blocks: readonly Block[]): number {
  let at = HEAD_BYTES;
  for (const { bytes } of blocks) {
    at = target.writeUInt32BE(bytes.length, at);
    at += bytes.copy(target, at);
  }
  target.writeUInt32BE(at, 4);
  target.writeDoubleBE((blocks[0] as Block).position, 8);
  target.writeUInt32BE(crc32(target.subarray(4, at)), 0);
  return at;
}

/** Ends at the first record that is not whole, or that does not go on where the one before ended: that one is from an earlier round. */
function groupsIn(bytes: Buffer): Block[][] {
  const groups: Block[][] = [];
  let expected: number | undefined;
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32BE(at + 4);
    if (length <= HEAD_BYTES || at + length > bytes.length) break;
    const record = bytes.subarray(at, at + length);
    if (crc32(record.subarray(4)) !== record.readUInt32BE(0)) break;
    if (expected !== undefined && record.readDoubleBE(8) !== expected) break;
    const blocks = blocksIn(record);
    groups.push(blocks);
    expected = endOf(blocks.at(-1) as Block);
    at = nextPage(at + length);
  }
  return groups;
}

function blocksIn(record: Buffer): Block[] {
  const blocks: Block[] = [];
  let position = record.readDoubleBE(8);
  for (let at = HEAD_BYTES; at < record.length; ) {
    const end = at + 4 + record.readUInt32BE(at);
    const block = decodeBlock(position, record.subarray(at + 4, end));
    blocks.push(block);
    position = endOf(block);
    at = end;
  }
  return blocks;
}
