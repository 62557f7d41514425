import { isAscii, isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { FileFault } from "../cell.js";

/** The part of a file handle that the readers use. */
export interface OpenFile {
  stat(): Promise<{ readonly size: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly buffer: Buffer; readonly bytesRead: number }>;
  close(): Promise<void>;
}

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
type SniffedEncoding = {
  readonly encoding: Encoding;
  /** The number of bytes of the byte order mark. */
  readonly skip: number;
  readonly notes: readonly string[];
};

const SCAN_BYTES = 1 << 20;
const ADVICE = "Save it as CSV UTF-8 and upload it again.";

/** Guesses the encoding by a byte order mark or the pattern of zero bytes. Otherwise answers UTF-8, which `sniffEncoding` then checks. */
export function sniffStart(start: Uint8Array): { encoding: Encoding; skip: number } {
  const [a, b, c, d] = start;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", skip: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: "utf-16le", skip: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", skip: 2 };
  if (a && !b && b !== undefined && c && d === 0) return { encoding: "utf-16le", skip: 0 };
  if (a === 0 && b && c === 0 && d) return { encoding: "utf-16be", skip: 0 };
  return { encoding: "utf-8", skip: 0 };
}

/** How many bytes at the end belong to a character that the next bytes complete (0 to 3). */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/**
 * Reads up to `limit` bytes, so that the encoding is certain before the first row is returned. If the file has a byte that is not UTF-8 and
 * only ASCII before it, the file is Windows-1252. If other UTF-8 characters come before such a byte, the file is damaged.
 */
export async function sniffEncoding(file: OpenFile, limit: number, signal?: AbortSignal): Promise<SniffedEncoding> {
  const buffer = Buffer.allocUnsafe(Math.min(SCAN_BYTES, limit + 1)); // a small file needs no larger buffer
  let position = 0;
  let sawNonAscii = false;
  let skip = 0;
  while (position < limit) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    const read = buffer.subarray(0, bytesRead);
    if (position === 0) {
      const start = sniffStart(read);
      if (start.encoding !== "utf-8") return { ...start, notes: [] };
      skip = start.skip;
    }
    const atEnd = bytesRead < buffer.length;
    const complete = atEnd ? read : read.subarray(0, bytesRead - unfinishedBytes(read));
    if (!isUtf8(complete)) {
      const badOffset = firstBadByte(complete);
      if (!sawNonAscii && skip === 0 && isAscii(complete.subarray(0, badOffset)))
        return { encoding: "windows-1252", skip, notes: ["The file is not UTF-8; it was read as Windows-1252."] };
      throw new FileFault(`The file is UTF-8 up to line ${await lineAt(file, position + badOffset)}, but not in that line. ${ADVICE}`);
    }
    sawNonAscii ||= !isAscii(complete);
    position += complete.length;
  }
  return { encoding: "utf-8", skip, notes: [] };
}

function firstBadByte(chunk: Uint8Array): number {
  let good = 0;
  let badOffset = chunk.length;
  while (badOffset - good > 4) {
    const middle = (good + badOffset) >> 1;
    const part = chunk.subarray(good, middle);
    const complete = part.subarray(0, part.length - unfinishedBytes(part));
    if (isUtf8(complete) && complete.length > 0) good += complete.length;
    else badOffset = middle;
  }
  while (good < badOffset && (chunk[good] ?? 0) < 0x80) good += 1;
  return good;
}

async function lineAt(file: OpenFile, offset: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(SCAN_BYTES);
  let line = 1;
  for (let position = 0; position < offset; position += SCAN_BYTES) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(SCAN_BYTES, offset - position), position);
    for (let at = buffer.indexOf(10); at !== -1 && at < bytesRead; at = buffer.indexOf(10, at + 1)) line += 1;
  }
  return line;
}

const CHUNK_BYTES = 128 * 1024;
/** The size of the first chunk. It is smaller, so that a caller that needs only the header decodes less. */
const FIRST_CHUNK_BYTES = 64 * 1024;
/** 0x80 to 0x9f of Windows-1252; the five unassigned bytes stay control characters. */
const WINDOWS_1252 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

/** The file's text in pieces that never cut a character in two. */
export async function* decodeFile(file: OpenFile, { encoding, skip }: SniffedEncoding, size: number, signal?: AbortSignal) {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  const decode = decoderOf(encoding);
  for (let position = skip; position < size; ) {
    signal?.throwIfAborted();
    const chunkBytes = Math.min(position === skip ? FIRST_CHUNK_BYTES : CHUNK_BYTES, buffer.length);
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    position += bytesRead;
    const final = bytesRead < chunkBytes || position >= size;
    const text = decode(buffer.subarray(0, bytesRead), final);
    // Old programs end a file with Ctrl-Z on a line of its own.
    const endsWithCtrlZ = final && (text.endsWith("\n\x1a") || text.endsWith("\r\x1a"));
    yield { text: endsWithCtrlZ ? text.slice(0, -1) : text, bytesRead: position, final };
    if (final) return;
  }
}

function decoderOf(encoding: Encoding): (bytes: Buffer, final: boolean) => string {
  if (encoding === "windows-1252")
    return (bytes) => bytes.toString("latin1").replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char);
  const decoder = new StringDecoder(encoding === "utf-8" ? "utf8" : "utf16le");
  return (bytes, final) => {
    const isOdd = bytes.length % 2 === 1;
    const ordered = encoding === "utf-16be" && !isOdd ? bytes.swap16() : bytes;
    const text = final ? decoder.end(ordered) : decoder.write(ordered);
    if (encoding !== "utf-8" && (isOdd || !text.isWellFormed())) throw new FileFault(`The file is not valid UTF-16. ${ADVICE}`);
    return text;
  };
}
