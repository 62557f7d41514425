import type { FileHandle } from "node:fs/promises";
import { FileFault } from "../cell.js";
import { type Encoding, type SniffedEncoding, unfinishedUtf8 } from "./encoding.js";

const CHUNK_BYTES = 128 * 1024;
/** The size of the first chunk, so that reading the header alone decodes no more than needed. */
const FIRST_CHUNK_BYTES = 64 * 1024;
/** 0x80 to 0x9f of Windows-1252; the five unassigned bytes stay the control characters they are. */
const WINDOWS_1252 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

export type DecodedText = { readonly text: string; readonly bytesRead: number; readonly final: boolean };

/** The file's text in pieces that never cut a character in two. */
export async function* decodeFile(
  file: FileHandle,
  sniffed: SniffedEncoding,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<DecodedText> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = sniffed.skip;
  while (position < size) {
    signal?.throwIfAborted();
    const wanted = position === sniffed.skip ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
    const { bytesRead } = await file.read(buffer, 0, wanted, position);
    const final = bytesRead < wanted || position + bytesRead >= size;
    const read = buffer.subarray(0, bytesRead);
    const whole = final ? read : read.subarray(0, bytesRead - unfinished(read, sniffed.encoding));
    position += whole.length;
    const text = decode(whole, sniffed.encoding);
    // Old programs end a file with Ctrl-Z on a line of its own.
    const marked = final && (text.endsWith("\n\x1a") || text.endsWith("\r\x1a"));
    yield { text: marked ? text.slice(0, -1) : text, bytesRead: position, final };
    if (final) return;
  }
}

function unfinished(bytes: Buffer, encoding: Encoding): number {
  if (encoding === "utf-8") return unfinishedUtf8(bytes);
  if (encoding === "windows-1252") return 0;
  const odd = bytes.length % 2;
  const high = encoding === "utf-16le" ? bytes[bytes.length - odd - 1] : bytes[bytes.length - odd - 2];
  return high !== undefined && high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
}

function decode(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case "utf-8":
      return bytes.toString("utf8");
    case "windows-1252":
      return bytes.toString("latin1").replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char);
    case "utf-16le":
      return utf16(bytes);
    case "utf-16be":
      return utf16(bytes.length % 2 === 0 ? Buffer.from(bytes).swap16() : bytes);
  }
}

function utf16(bytes: Buffer): string {
  const text = bytes.toString("utf16le");
  if (bytes.length % 2 === 1 || !text.isWellFormed())
    throw new FileFault("The file is not valid UTF-16. Save it as CSV UTF-8 and upload it again.");
  return text;
}
