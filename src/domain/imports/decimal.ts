/** Fifteen significant digits survive a round trip through a JSON number; more would be recorded as something else. */
const pattern = /^[+-]?(\d{1,15})(?:\.(\d{1,9}))?$/;

/** A plain decimal number, or undefined: no exponents, hex, blanks, Infinity or digits that would be lost. */
export function parseDecimal(text: string): number | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const digits = `${match[1]}${match[2] ?? ""}`.replace(/^0+/, "");
  return digits.length <= 15 ? Number(text) : undefined;
}

/** The plain decimal text of a number, or undefined where it has none that `parseDecimal` reads back as the same number. */
export function decimalText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const text = Math.abs(value) < 1e-6 && value !== 0 ? value.toFixed(9).replace(/0+$/, "") : String(value);
  return parseDecimal(text) === value ? text : undefined;
}
