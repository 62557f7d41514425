import { FileFault } from "../cell.js";

const DELIMITERS = [",", ";", "\t", "|"] as const;
const SEPARATOR_LINE = /^"?sep=([^\r\n]{0,3}?)"?(?:\r\n|\r|\n|$)/i;

export type Dialect = {
  readonly delimiter: string;
  /** Characters to leave out at the start: Excel's `sep=` line. */
  readonly skip: number;
};

/** Finds the delimiter in the start of the text, which must have the whole first row. */
export function detectDialect(start: string): Dialect {
  const declared = SEPARATOR_LINE.exec(start);
  if (!declared) return { delimiter: commonestDelimiter(start), skip: 0 };
  const delimiter = declared[1] ?? "";
  if (delimiter.length !== 1 || /[\p{L}\p{N}"\0\ufeff ]/u.test(delimiter)) {
    throw new FileFault("The sep= line must name one separator, such as sep=; or sep=, and nothing else.");
  }
  return { delimiter, skip: declared[0].length };
}

function commonestDelimiter(start: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  let something = false;
  for (const char of start) {
    if (char === '"') quoted = !quoted;
    if (quoted) continue;
    if (char === "\n" || char === "\r") {
      if (something) break; // blank lines above the header are passed over
      continue;
    }
    if (char.trim() !== "") something = true;
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return DELIMITERS.reduce((best, delimiter) => ((counts.get(delimiter) ?? 0) > (counts.get(best) ?? 0) ? delimiter : best));
}
