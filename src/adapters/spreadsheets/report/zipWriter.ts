import { once } from "node:events";
import type { Writable } from "node:stream";
import { constants, crc32, createDeflateRaw, deflateRawSync } from "node:zlib";

/** A zip archive is written in one pass, so each entry's sizes and checksum follow its data. */
const FLAGS = 0x0808; // sizes follow, names in UTF-8
const DEFLATED = 8;
const VERSION = 20;
/** 1 January 1980, the first day that the format knows. */
const DATE = 0x0021;
/** More than this needs fields that not every program reads. */
export const MAX_ENTRY_BYTES = 0xffff_ffff;

interface Entry {
  readonly name: Buffer;
  offset: number;
  crc: number;
  packed: number;
  size: number;
}

export interface ZipWriter {
  /** Adds a small entry. */
  add(name: string, bytes: Uint8Array): void;
  /** Adds to the last entry. The output may need time: see `drained`. */
  write(bytes: Uint8Array): void;
  /** Resolves when the output can take more. Fails when the output has failed. */
  drained(): Promise<void>;
  /** Finishes the archive and resolves when the output is closed. */
  finish(): Promise<void>;
}

/** Writes an archive to `output`: small entries, then one of any size that is packed as it goes, with back-pressure. */
export function createZipWriter(output: Writable, lastName: string): ZipWriter {
  const failure = new AbortController();
  output.on("error", (error) => failure.abort(error));
  output.on("close", () => {
    if (!output.writableFinished) failure.abort(new Error("the output was closed"));
  });
  const entries: Entry[] = [];
  let written = 0;
  // Measured on 12 MB of rows: an eighth larger than with the usual level, in two fifths of its time.
  const level = constants.Z_BEST_SPEED;
  const pack = createDeflateRaw({ level, chunkSize: 64 * 1024 });
  const last = entryOf(lastName);
  let hasBegun = false;

  function put(bytes: Uint8Array): void {
    written += bytes.byteLength;
    output.write(bytes);
  }

  function begin(entry: Entry): void {
    entry.offset = written;
    entries.push(entry);
    put(Buffer.concat([localHeader(entry), entry.name]));
  }

  function count(entry: Entry, bytes: Uint8Array): void {
    entry.crc = crc32(bytes, entry.crc);
    entry.size += bytes.byteLength;
  }

  pack.on("data", (piece: Buffer) => {
    last.packed += piece.length;
    put(piece);
    if (!output.writableNeedDrain) return;
    pack.pause();
    output.once("drain", () => pack.resume());
  });
  pack.on("error", (error) => failure.abort(error));
  failure.signal.addEventListener("abort", () => pack.destroy());

  const waitFor = (stream: NodeJS.EventEmitter, event: string): Promise<unknown> =>
    once(stream, event, { signal: failure.signal }).catch((error: unknown) => {
      failure.signal.throwIfAborted();
      throw error;
    });

  return {
    add(name, bytes) {
      const entry = entryOf(name);
      const packed = deflateRawSync(bytes, { level });
      count(entry, bytes);
      entry.packed = packed.length;
      begin(entry);
      put(packed);
      put(dataDescriptor(entry));
    },
    write(bytes) {
      if (!hasBegun) begin(last);
      hasBegun = true;
      count(last, bytes);
      pack.write(bytes);
    },
    async drained() {
      failure.signal.throwIfAborted();
      if (pack.writableNeedDrain) await waitFor(pack, "drain");
    },
    async finish() {
      failure.signal.throwIfAborted();
      pack.end();
      await waitFor(pack, "end");
      put(dataDescriptor(last));
      const start = written;
      put(Buffer.concat(entries.flatMap((entry) => [centralHeader(entry), entry.name])));
      put(endOfDirectory(entries.length, written - start, start));
      output.end();
      if (!output.closed) await waitFor(output, "close");
    },
  };
}

const entryOf = (name: string): Entry => ({ name: Buffer.from(name), offset: 0, crc: 0, packed: 0, size: 0 });

/** Little-endian fields, each with its size in bytes. */
function record(...fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}

const localHeader = ({ name }: Entry) =>
  record([4, 0x04034b50], [2, VERSION], [2, FLAGS], [2, DEFLATED], [2, 0], [2, DATE], [4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]);

const dataDescriptor = ({ crc, packed, size }: Entry) => record([4, 0x08074b50], [4, crc], [4, packed], [4, size]);

const centralHeader = ({ name, offset, crc, packed, size }: Entry) =>
  record(
    ...([
      [4, 0x02014b50],
      [2, VERSION],
      [2, VERSION],
      [2, FLAGS],
      [2, DEFLATED],
      [2, 0],
      [2, DATE],
      [4, crc],
      [4, packed],
      [4, size],
    ] as const),
    ...([
      [2, name.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, offset],
    ] as const),
  );

const endOfDirectory = (count: number, size: number, start: number) =>
  record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, start], [2, 0]);
