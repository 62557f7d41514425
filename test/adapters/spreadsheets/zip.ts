import { crc32, deflateRawSync } from "node:zlib";

export type ZipPart = {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  /** Values for the archive's directory that differ from the true ones. */
  readonly claim?: { size?: number; crc?: number; method?: number; flags?: number; compressedSize?: number };
};

/** A zip archive made by hand, so that tests can make broken ones. */
export function zip(parts: readonly ZipPart[]): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stored = false, claim = {} } of parts) {
    const plain = typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
    const packed = stored ? plain : deflateRawSync(plain);
    const nameBytes = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((claim.flags ?? 0) | 0x800, 2);
    fields.writeUInt16LE(claim.method ?? (stored ? 0 : 8), 4);
    fields.writeUInt16LE(0x21, 8);
    fields.writeUInt32LE(claim.crc ?? crc32(plain), 10);
    fields.writeUInt32LE(claim.compressedSize ?? packed.length, 14);
    fields.writeUInt32LE(claim.size ?? plain.length, 18);
    fields.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, nameBytes, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, tail, nameBytes]));
    pieces.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, central, end]);
}
