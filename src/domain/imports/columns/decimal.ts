// How numbers are written: with a decimal point or a decimal comma. What can be read in two ways is never guessed.
import { parseDecimal } from "../fields.js";

export const decimalMarks = ["point", "comma"] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** More digits than a recorded number can have, with their separators. */
const maxNumberLength = 120;
/** Thousands in groups of three with one sign between them: `1.234.567,5`. Programs also write a blank or an apostrophe there. */
const groupedPatterns: Readonly<Record<DecimalMark, RegExp>> = {
  point: /^[+-]?[1-9]\d{0,2}([, \u00a0\u2009\u202f'\u2019])\d{3}(?:\1\d{3})*(?:\.\d{1,40})?$/,
  comma: /^[+-]?[1-9]\d{0,2}([. \u00a0\u2009\u202f'\u2019])\d{3}(?:\1\d{3})*(?:,\d{1,40})?$/,
};

/** Reads a number; undefined for any other text. Without `decimal`, the contract's way: a decimal point, and nothing between thousands. */
export function readNumber(text: string, decimal: DecimalMark | undefined): number | undefined {
  if (decimal === undefined || text.length > maxNumberLength) return parseDecimal(text);
  if (groupedPatterns[decimal].test(text))
    return parseDecimal(text.replace(decimal === "point" ? /[^\d.+-]/g : /[^\d,+-]/g, "").replace(",", "."));
  if (decimal === "point") return parseDecimal(text);
  return text.includes(".") ? undefined : parseDecimal(text.replace(",", "."));
}

/** Writes a recorded number with this decimal mark, for a form or a file whose other numbers have it. */
export const formatNumber = (text: string, decimal: DecimalMark | undefined): string =>
  decimal === "comma" ? text.replace(".", ",") : text;

/** Matches texts that may show how numbers are written. Most cells have digits alone, which show nothing. */
const maybeMarked = /^[+-]?(?:\d*[.,]|\d{1,3}[ \u00a0\u2009\u202f'\u2019])[\d.,' \u00a0\u2009\u202f\u2019e+-]*$/i;

interface Readings {
  readonly plain: number | undefined;
  readonly point: number | undefined;
  readonly comma: number | undefined;
}

function readingsOf(text: string): Readings | undefined {
  if (!maybeMarked.test(text)) return undefined;
  const readings = { plain: parseDecimal(text), point: readNumber(text, "point"), comma: readNumber(text, "comma") };
  const { plain, point, comma } = readings;
  return point === comma && point === plain ? undefined : readings;
}

/** The only mark with which the text can be read. Undefined if it can be read with both marks, or with none. */
const onlyReading = ({ point, comma }: Readings): DecimalMark | undefined => {
  if ((point === undefined) === (comma === undefined)) return undefined;
  return comma === undefined ? "point" : "comma";
};

export interface DecimalFinding {
  /** Undefined if both marks are possible, or the values contradict each other. */
  readonly decimal: DecimalMark | undefined;
  /** A value that can only be read in this way; if there is none, the first value that can be read in two ways. */
  readonly example: string;
  /** If the values contradict each other: one that can only be read the other way. */
  readonly counterexample?: string;
}

/** The mark that the values themselves show. Undefined if every reading gives the same numbers. */
export function decimalMarkIn(values: Iterable<string>): DecimalFinding | undefined {
  const proofs = new Map<DecimalMark, string>();
  let ambiguous: string | undefined;
  let sameEitherWay: string | undefined;
  for (const text of values) {
    const readings = readingsOf(text.trim());
    if (!readings) continue;
    const only = onlyReading(readings);
    if (only !== undefined) proofs.set(only, proofs.get(only) ?? text.trim());
    else if (readings.point === readings.comma) sameEitherWay ??= text.trim();
    else ambiguous ??= text.trim();
  }
  const [[decimal, example] = [undefined, ambiguous], [, counterexample] = []] = proofs;
  if (counterexample !== undefined) return { decimal: undefined, example: example ?? counterexample, counterexample };
  if (example !== undefined) return { decimal, example };
  return sameEitherWay === undefined ? undefined : { decimal: "point", example: sameEitherWay };
}

/** The first value that contradicts the declared mark. If none was declared: the first that the contract cannot read, or is ambiguous. */
export function contradictingNumber(values: readonly string[], declared: DecimalMark | undefined): string | undefined {
  const showsPoint = declared === undefined && decimalMarkIn(values)?.decimal === "point";
  return values.find((text) => {
    const readings = readingsOf(text.trim());
    if (!readings) return false;
    const only = onlyReading(readings);
    if (declared !== undefined) return only !== undefined && only !== declared;
    return readings.plain === undefined || (only === undefined && !showsPoint);
  });
}

/** Keeps a column's first text for each set of possible readings. Together these texts decide how the column's numbers are written. */
export function createNumberEvidence() {
  const firstByForm = new Map<string, string>();
  return {
    add(cell: string): void {
      const text = cell.trim();
      const readings = readingsOf(text);
      if (!readings) return;
      const { plain, point, comma } = readings;
      const form = [plain, point, comma].map((value) => value === undefined).join() + (point === comma);
      if (!firstByForm.has(form)) firstByForm.set(form, Buffer.from(text).toString()); // a copy: a cell may be a slice of a large text
    },
    values: () => [...firstByForm.values()],
  };
}
