import { FileFault } from "../cell.js";
import { MAX_CACHED_TEXT_CHARS, MAX_CACHED_TEXTS, MAX_ROW_CHARS, MAX_SHARED_STRINGS_BYTES } from "../limits.js";
import { type Archive, damagedFault } from "./archive.js";
import { cellTooLarge, createTextCollector, createXmlParser } from "./xml.js";

const PAGE_BYTES = 4 * MAX_ROW_CHARS;

/** Keeps texts as bytes outside the heap, so that a million of them take little more memory than their characters. */
export function createStringStore(maxBytes = MAX_SHARED_STRINGS_BYTES) {
  const pages: Buffer[] = [];
  let decoded: string[] = [];
  let decodedChars = 0;
  let spans = new Uint32Array(2048); // position and length of each text
  let count = 0;
  let usedBytes = 0;
  function add(text: string): void {
    const length = Buffer.byteLength(text);
    if (length > PAGE_BYTES) throw cellTooLarge();
    if (pages.length === 0 || usedBytes + length > PAGE_BYTES) {
      pages.push(Buffer.allocUnsafeSlow(PAGE_BYTES));
      usedBytes = 0;
      checkSize();
    }
    if (count * 2 === spans.length) {
      const larger = new Uint32Array(spans.length * 2);
      larger.set(spans);
      spans = larger;
      checkSize();
    }
    if (length > 0) (pages[pages.length - 1] as Buffer).write(text, usedBytes);
    spans[count * 2] = (pages.length - 1) * PAGE_BYTES + usedBytes;
    spans[count * 2 + 1] = length;
    usedBytes += length;
    count += 1;
  }
  function checkSize(): void {
    if (pages.length * PAGE_BYTES + spans.byteLength <= maxBytes) return;
    throw new FileFault("The workbook holds too much text to be read. Save it as .csv and upload that.");
  }
  function cacheDecoded(index: number, text: string): void {
    decodedChars += text.length;
    if (decodedChars > MAX_CACHED_TEXT_CHARS) [decoded, decodedChars] = [[], text.length];
    decoded[index] = text;
  }
  function at(index: number): string | undefined {
    if (!(index >= 0 && index < count)) return undefined;
    if (index < decoded.length && decoded[index] !== undefined) return decoded[index];
    const position = spans[index * 2] as number;
    const start = position % PAGE_BYTES;
    const text = (pages[(position - start) / PAGE_BYTES] as Buffer).toString("utf8", start, start + (spans[index * 2 + 1] as number));
    if (index < MAX_CACHED_TEXTS) cacheDecoded(index, text);
    return text;
  }
  return {
    get count() {
      return count;
    },
    add,
    at,
  };
}

/** Reads the table of shared strings, or only its first `limit` texts. */
export async function readSharedStrings(archive: Archive, part: string | null, limit: number, signal?: AbortSignal) {
  const store = createStringStore();
  if (part === null || limit <= 0) return store;
  const collector = createTextCollector();
  const parser = createXmlParser({
    open(name) {
      if (name === "si") collector.start();
      else collector.open(name);
    },
    close(name) {
      if (name === "si") store.add(collector.result());
      else collector.close(name);
    },
    text: collector.text,
  });
  for await (const piece of archive.text(part, signal)) {
    parser.write(piece);
    if (store.count >= limit) return store;
  }
  parser.end();
  if (store.count === 0 && limit !== Number.POSITIVE_INFINITY) throw damagedFault("a text is missing"); // the caller needs at least one
  return store;
}
