// Exact decimal arithmetic, with which every price is computed. A number from JSON is read as its shortest decimal text
// ("0.42" is forty-two hundredths), never as its binary value.
import { cacheResults } from "./cacheResults.js";
import { trimTrailing } from "./trimTrailing.js";

/** The number `coefficient / 10^scale`. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

export const zero: Decimal = { coefficient: 0n, scale: 0 };

const decimalText = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

export function decimal(value: number | string): Decimal {
  const parts = decimalText.exec(String(value));
  if (!parts) throw new RangeError(`not a decimal number: ${String(value)}`);
  const fraction = parts[3] ?? "";
  const coefficient = BigInt(`${parts[1] === "-" ? "-" : ""}${parts[2]}${fraction}`);
  const scale = fraction.length - Number(parts[4] ?? 0);
  return scale >= 0 ? { coefficient, scale } : { coefficient: coefficient * powerOfTen(-scale), scale: 0 };
}

const maxCachedValues = 10_000;

/** `decimal` with a cache, for the numbers of a catalogue, which every quote uses again. */
export const cachedDecimal: (value: number) => Decimal = cacheResults(maxCachedValues, decimal);

const powerOfTen = cacheResults(maxCachedValues, (exponent: number) => 10n ** BigInt(exponent));

/** The value's coefficient at another scale, which must not be less than the value's own. */
const coefficientAt = (value: Decimal, scale: number): bigint =>
  value.scale === scale ? value.coefficient : value.coefficient * powerOfTen(scale - value.scale);

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { coefficient: coefficientAt(a, scale) + coefficientAt(b, scale), scale };
}

export const multiply = (a: Decimal, b: Decimal): Decimal => ({ coefficient: a.coefficient * b.coefficient, scale: a.scale + b.scale });

export function compare(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [coefficientAt(a, scale), coefficientAt(b, scale)];
  return left < right ? -1 : left > right ? 1 : 0;
}

export const larger = (a: Decimal, b: Decimal): Decimal => (compare(a, b) >= 0 ? a : b);

/** The coefficient at `scale` digits after the point, rounded half up. Only for values that are not negative. */
export function roundHalfUp(value: Decimal, scale: number): bigint {
  if (value.scale <= scale) return coefficientAt(value, scale);
  const divisor = powerOfTen(value.scale - scale);
  return (value.coefficient * 2n + divisor) / (divisor * 2n);
}

/** The coefficient at `scale` digits after the point, rounded up. Only for values that are not negative. */
export function roundUp(value: Decimal, scale: number): bigint {
  if (value.scale <= scale) return coefficientAt(value, scale);
  const divisor = powerOfTen(value.scale - scale);
  return (value.coefficient + divisor - 1n) / divisor;
}

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, { coefficient: -b.coefficient, scale: b.scale });

/** Writes the value without trailing zeros, such as `75.6`. */
export function toText(value: Decimal): string {
  const text = toFullText(value);
  return value.scale === 0 ? text : trimTrailing(trimTrailing(text, "0"), ".");
}

/** Writes the value with all digits of its scale, such as `75.60`. */
export function toFullText({ coefficient, scale }: Decimal): string {
  const isNegative = coefficient < 0n;
  const digits = String(isNegative ? -coefficient : coefficient).padStart(scale + 1, "0");
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return isNegative ? `-${text}` : text;
}

/** The nearest JSON number, whose text is the exact decimal for up to 15 digits. Dividing two exact numbers rounds only once. */
export function toNumber(coefficient: bigint, scale: number): number {
  const exact = Number(coefficient);
  return Number.isSafeInteger(exact) && scale <= 22 ? exact / 10 ** scale : Number(`${coefficient}e-${scale}`);
}

export type Cents = bigint;

const hundredth: Decimal = { coefficient: 1n, scale: 2 };

export const toCents = (value: Decimal): Cents => roundHalfUp(value, 2);

export const percentOf = (percent: Decimal, cents: Cents): Cents =>
  toCents(multiply(multiply(percent, hundredth), { coefficient: cents, scale: 2 }));

/** An amount as responses have it. */
export const centsToNumber = (cents: Cents): number => toNumber(cents, 2);

/** Larger amounts are not exact as a JavaScript number of cents. */
export const maxCents: Cents = BigInt(Number.MAX_SAFE_INTEGER);
