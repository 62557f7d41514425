import { stat } from "node:fs/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { FileFault } from "../cell.js";
import { INFLATE_ALLOWANCE, MAX_ENTRIES, MAX_INFLATE_RATIO, MAX_INFLATED_BYTES, MAX_SMALL_PART_CHARS } from "../limits.js";

const CHUNK_BYTES = 128 * 1024;
const DAMAGED = "The workbook is damaged or was cut short. Open it in a spreadsheet program, save it again and upload that.";

export type Archive = Awaited<ReturnType<typeof openArchive>>;

/** How many bytes one part may unpack to, how many all parts may still unpack to, and the fault when they unpack to more. */
type Budget = { readonly maxPartBytes: number; leftBytes: number; readonly fault: () => FileFault };

const unpacksTooMuch = (): FileFault => new FileFault("The workbook unpacks to far more than its size. Save it as .csv and upload that.");

function headerOutOfReach(bytes: number): FileFault {
  return new FileFault(
    `The header row cannot be read from the first ${bytes / 1024 ** 2} MB of the workbook's content. Save it as .csv and upload that.`,
  );
}

export const damagedFault = (detail = ""): FileFault => new FileFault(detail === "" ? DAMAGED : `${DAMAGED} (${detail})`);

/** Errors of the zip or XML code become faults of the file; errors of the operating system stay as they are. */
export function asFileFault(error: unknown): unknown {
  if (error instanceof FileFault || !(error instanceof Error) || error.name === "AbortError" || "syscall" in error) return error;
  return damagedFault();
}

/** Opens a workbook. `maxBytes` is how much a caller that reads only the start of its parts may unpack. */
export async function openArchive(path: string, maxBytes = MAX_INFLATED_BYTES) {
  const { size } = await stat(path);
  const maxPartBytes = Math.min(MAX_INFLATED_BYTES, Math.max(INFLATE_ALLOWANCE, size * MAX_INFLATE_RATIO));
  const fault = () => (maxBytes < maxPartBytes ? headerOutOfReach(maxBytes) : unpacksTooMuch());
  const budget = { maxPartBytes, leftBytes: Math.min(maxBytes, maxPartBytes), fault };
  const zip = await openPromise(path, { autoClose: false }).catch((error: unknown) => {
    throw asFileFault(error);
  });
  try {
    const entries = await listEntries(zip);
    const entry = (name: string) => entries.get(name.toLowerCase());
    const text = (name: string, signal?: AbortSignal) => textOf(zip, entry(name), budget, signal);
    return {
      names: [...entries.keys()],
      has: (name: string) => entries.has(name.toLowerCase()),
      size: (name: string) => entry(name)?.uncompressedSize ?? 0,
      /** A part's text in pieces. Throws a fault if its size or checksum is not that in the archive's directory. */
      text,
      /** The whole text of a small part. */
      wholeText: (name: string) => joinText(text(name)),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw asFileFault(error);
  }
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES)
    throw new FileFault("The workbook has too many parts. Save it again with only the sheet that is needed.");
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (name.endsWith("/")) continue;
    if (entries.has(name)) throw damagedFault("it holds one part twice");
    if (entry.isEncrypted()) throw new FileFault("The workbook is protected with a password. Remove the password and upload it again.");
    entries.set(name, entry);
  }
  return entries;
}

async function joinText(pieces: AsyncGenerator<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MAX_SMALL_PART_CHARS)
      throw new FileFault("The workbook's styles or relations are too large. Copy the sheet into a new workbook.");
  }
  return text;
}

async function* textOf(zip: ZipFile, entry: Entry | undefined, budget: Budget, signal?: AbortSignal): AsyncGenerator<string> {
  if (!entry) throw damagedFault("a part is missing");
  try {
    let decode: ((bytes: Buffer, final: boolean) => string) | null = null;
    for await (const bytes of inflate(zip, entry, budget)) {
      signal?.throwIfAborted();
      decode ??= decoderFor(bytes);
      yield decode(bytes, false);
    }
    yield decode?.(Buffer.alloc(0), true) ?? "";
  } catch (error) {
    throw signal?.aborted ? error : asFileFault(error);
  }
}

/** Unpacks a part. yauzl could do it, but checks no checksum and yields pieces of an eighth of the size. */
async function* inflate(zip: ZipFile, entry: Entry, budget: Budget): AsyncGenerator<Buffer> {
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw damagedFault("it is packed in an unknown way");
  if (entry.uncompressedSize > budget.maxPartBytes) throw unpacksTooMuch();
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  const unpacked = entry.compressionMethod === 0 ? raw : raw.pipe(createInflateRaw({ chunkSize: CHUNK_BYTES }));
  if (unpacked !== raw) raw.on("error", (error) => unpacked.destroy(error));
  let checksum = 0;
  let size = 0;
  try {
    for await (const bytes of unpacked as AsyncIterable<Buffer>) {
      budget.leftBytes -= bytes.length;
      size += bytes.length;
      if (budget.leftBytes < 0) throw budget.fault();
      if (size > entry.uncompressedSize) throw damagedFault("a part is larger than it says");
      checksum = crc32(bytes, checksum);
      yield bytes;
    }
    if (size !== entry.uncompressedSize || checksum !== entry.crc32) throw damagedFault("a checksum does not match");
  } finally {
    raw.destroy();
    unpacked.destroy();
  }
}

/** XML without a byte order mark is UTF-8; with one it may be UTF-16. */
function decoderFor(first: Buffer): (bytes: Buffer, final: boolean) => string {
  const mark = first.length >= 2 ? first.readUInt16BE(0) : 0;
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, final) => {
    try {
      return decoder.decode(bytes, { stream: !final });
    } catch {
      throw damagedFault(encoding === "utf-8" ? "its text is not UTF-8" : "");
    }
  };
}
