import { once } from "node:events";
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";

/** 1 January 1980, the zip format's first day: reports of the same rows are the same bytes. */
const DOS_DATE = 0x21;
const LOCAL_HEADER_BYTES = 30;

type Part = { name: Buffer; offset: number; crc: number; packed: number; size: number };

export type ZipPartWriter = {
  /** Resolves when more may come. */
  write(text: string): Promise<void>;
  end(): Promise<void>;
  abort(): void;
};

/** Writes a zip archive to a file, one part after the other, each in flat memory; parts up to 4 GiB. */
export function createZipWriter(file: FileHandle) {
  const parts: Part[] = [];
  let position = 0;

  async function put(bytes: Buffer, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }

  function openPart(name: string): ZipPartWriter {
    const part: Part = { name: Buffer.from(name), offset: position, crc: 0, packed: 0, size: 0 };
    position += LOCAL_HEADER_BYTES + part.name.length;
    const deflate = createDeflateRaw({ level: 3 });
    const written = pipeline(deflate, async (source: AsyncIterable<Buffer>) => {
      for await (const bytes of source) {
        await put(bytes, position);
        position += bytes.length;
        part.packed += bytes.length;
      }
    });
    written.catch(() => {}); // met again in write and end
    let draining: Promise<unknown> | null = null;
    return {
      async write(text) {
        const bytes = Buffer.from(text);
        part.crc = crc32(bytes, part.crc);
        part.size += bytes.length;
        if (deflate.write(bytes)) return;
        draining ??= Promise.race([once(deflate, "drain"), written]).finally(() => {
          draining = null;
        });
        await draining;
      },
      async end() {
        deflate.end();
        await written;
        await put(localHeader(part), part.offset);
        parts.push(part);
      },
      abort: () => deflate.destroy(),
    };
  }

  async function addPart(name: string, text: string): Promise<void> {
    const part = openPart(name);
    await part.write(text);
    await part.end();
  }

  async function finish(): Promise<void> {
    const directory = Buffer.concat(parts.map(directoryEntry));
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06", "latin1");
    end.writeUInt16LE(parts.length, 8);
    end.writeUInt16LE(parts.length, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(position, 16);
    await put(Buffer.concat([directory, end]), position);
  }

  return { openPart, addPart, finish };
}

/** What the local header and the directory say alike. */
function fields(part: Part): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(20, 0);
  bytes.writeUInt16LE(8, 4);
  bytes.writeUInt16LE(DOS_DATE, 8);
  bytes.writeUInt32LE(part.crc, 10);
  bytes.writeUInt32LE(part.packed, 14);
  bytes.writeUInt32LE(part.size, 18);
  bytes.writeUInt16LE(part.name.length, 22);
  return bytes;
}

function localHeader(part: Part): Buffer {
  return Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields(part), part.name]);
}

function directoryEntry(part: Part): Buffer {
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(part.offset, 10);
  return Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields(part), tail, part.name]);
}
