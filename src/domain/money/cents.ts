import { add, type Decimal, multiply, roundHalfUp, toNumber } from "./decimal.js";

/** Whole cents. */
export type Cents = bigint;

const hundredth: Decimal = { coefficient: 1n, scale: 2 };

export function toCents(value: Decimal): Cents {
  return roundHalfUp(value, 2);
}

export function fromCents(cents: Cents): Decimal {
  return { coefficient: cents, scale: 2 };
}

export function percentOf(percent: Decimal, cents: Cents): Cents {
  return toCents(multiply(multiply(percent, hundredth), fromCents(cents)));
}

/** The money field of a response. */
export function centsToNumber(cents: Cents): number {
  return toNumber(cents, 2);
}

export function sum(values: readonly Decimal[]): Decimal {
  return values.reduce(add, { coefficient: 0n, scale: 0 });
}
