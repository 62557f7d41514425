// How numbers are written: with a decimal point or a decimal comma. What can be read in two ways is never guessed.
import { parseDecimal } from "../fields.js";

export const decimalMarks = ["point", "comma"] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** More digits than a recorded number can have, with their separators. */
const longest = 120;
/** Thousands in groups of three with the same sign between them: `1.234.567,5`. The sign may be a blank or an apostrophe, as programs write them. */
const grouped: Readonly<Record<DecimalMark, RegExp>> = {
  point: /^[+-]?[1-9]\d{0,2}([, \u00a0\u2009\u202f'\u2019])\d{3}(?:\1\d{3})*(?:\.\d{1,40})?$/,
  comma: /^[+-]?[1-9]\d{0,2}([. \u00a0\u2009\u202f'\u2019])\d{3}(?:\1\d{3})*(?:,\d{1,40})?$/,
};

/** The number in a text; undefined for any other text. Without `decimal` a number has a point, and nothing between thousands, as in the contract. */
export function readNumber(text: string, decimal: DecimalMark | undefined): number | undefined {
  if (decimal === undefined || text.length > longest) return parseDecimal(text);
  if (grouped[decimal].test(text)) return parseDecimal(text.replace(decimal === "point" ? /[^\d.+-]/g : /[^\d,+-]/g, "").replace(",", "."));
  if (decimal === "point") return parseDecimal(text);
  return text.includes(".") ? undefined : parseDecimal(text.replace(",", "."));
}

/** A recorded number with this decimal mark, for a form or a file whose other numbers have it. */
export const writtenNumber = (text: string, decimal: DecimalMark | undefined): string =>
  decimal === "comma" ? text.replace(".", ",") : text;

/** Whether a text may say how numbers are written. Most cells have digits alone, which say nothing. */
const couldTell = /^[+-]?(?:\d*[.,]|\d{1,3}[ \u00a0\u2009\u202f'\u2019])[\d.,' \u00a0\u2009\u202f\u2019e+-]*$/i;

interface Readings {
  readonly plain: number | undefined;
  readonly point: number | undefined;
  readonly comma: number | undefined;
}

function readingsOf(text: string): Readings | undefined {
  if (!couldTell.test(text)) return undefined;
  const readings = { plain: parseDecimal(text), point: readNumber(text, "point"), comma: readNumber(text, "comma") };
  const { plain, point, comma } = readings;
  return point === comma && point === plain ? undefined : readings;
}

/** Undefined where both can be read, or none. */
const onlyReading = ({ point, comma }: Readings): DecimalMark | undefined => {
  if ((point === undefined) === (comma === undefined)) return undefined;
  return comma === undefined ? "point" : "comma";
};

export interface DecimalFinding {
  /** Undefined where both are possible, or the values contradict each other. */
  readonly decimal: DecimalMark | undefined;
  /** A value that can only be read in this way; if there is none, the first value that can be read in two ways. */
  readonly example: string;
  /** Where the values contradict each other: one that can only be read the other way. */
  readonly other?: string;
}

/** What the values themselves say. Undefined where any reading gives the same numbers. */
export function decimalMarkIn(values: Iterable<string>): DecimalFinding | undefined {
  const proofs = new Map<DecimalMark, string>();
  let either: string | undefined;
  let same: string | undefined;
  for (const text of values) {
    const readings = readingsOf(text.trim());
    if (!readings) continue;
    const only = onlyReading(readings);
    if (only !== undefined) proofs.set(only, proofs.get(only) ?? text.trim());
    else if (readings.point === readings.comma) same ??= text.trim();
    else either ??= text.trim();
  }
  const [[decimal, example] = [undefined, either], [, other] = []] = proofs;
  if (other !== undefined) return { decimal: undefined, example: example ?? other, other };
  if (example !== undefined) return { decimal, example };
  return same === undefined ? undefined : { decimal: "point", example: same };
}

/** The first value that contradicts this declaration, or that it leaves open. `declared` is undefined where nothing was declared. */
export function contradictingNumber(values: readonly string[], declared: DecimalMark | undefined): string | undefined {
  const isPoint = declared === undefined && decimalMarkIn(values)?.decimal === "point";
  return values.find((text) => {
    const readings = readingsOf(text.trim());
    if (!readings) return false;
    const only = onlyReading(readings);
    if (declared !== undefined) return only !== undefined && only !== declared;
    return readings.plain === undefined || (only === undefined && !isPoint);
  });
}

/** Takes the texts of a column and keeps the first of each form, which together decide how the column's numbers are written. */
export function createNumberForms() {
  const first = new Map<string, string>();
  return {
    add(cell: string): void {
      const text = cell.trim();
      const readings = readingsOf(text);
      if (!readings) return;
      const { plain, point, comma } = readings;
      const form = [plain, point, comma].map((value) => value === undefined).join() + (point === comma);
      if (!first.has(form)) first.set(form, Buffer.from(text).toString()); // a cell may be a slice of the text around it
    },
    values: () => [...first.values()],
  };
}
