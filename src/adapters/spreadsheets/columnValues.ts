import { isBlank } from "./cell.js";
import { MAX_HEADER_INFLATED_BYTES } from "./limits.js";
import { readFileRows } from "./uploadedFile.js";

const MOST_ROWS = 1_000;
/** Distinct values of a column, and characters of each. */
const MOST_VALUES = 20;
const MOST_CHARS = 60;

/** By column: the first distinct values of the file's first rows, for people to see what the column holds. */
export async function readValues(path: string): Promise<string[][]> {
  const values: Set<string>[] = [];
  let rows = 0;
  for await (const batch of readFileRows(path, { mostInflated: MAX_HEADER_INFLATED_BYTES })) {
    for (const { cells } of batch.rows) {
      if (++rows > MOST_ROWS) break;
      cells.forEach((cell, index) => {
        values[index] ??= new Set();
        const known = values[index];
        if (known.size < MOST_VALUES && !isBlank(cell)) known.add(shown(typeof cell === "string" ? cell : cell.text));
      });
    }
    if (rows >= MOST_ROWS) break;
  }
  return values.map((some) => [...some]);
}

/** Whole characters, which Postgres can store. */
function shown(text: string): string {
  const plain = text.trim().replaceAll("\0", "\u{FFFD}").toWellFormed();
  if (plain.length <= MOST_CHARS) return plain;
  const characters = [...plain.slice(0, 2 * MOST_CHARS + 2)];
  return characters.length <= MOST_CHARS ? plain : `${characters.slice(0, MOST_CHARS).join("")}...`;
}
