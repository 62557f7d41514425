import { type Decimal, multiply, roundHalfUp, toNumber } from "./decimal.js";

/** Whole cents. */
export type Cents = bigint;

const hundredth: Decimal = { coefficient: 1n, scale: 2 };

export function toCents(value: Decimal): Cents {
  return roundHalfUp(value, 2);
}

export function percentOf(percent: Decimal, cents: Cents): Cents {
  return toCents(multiply(multiply(percent, hundredth), { coefficient: cents, scale: 2 }));
}

/** The money field of a response. */
export function centsToNumber(cents: Cents): number {
  return toNumber(cents, 2);
}

/** Beyond this a JSON number no longer holds every cent. */
export const mostCents: Cents = BigInt(Number.MAX_SAFE_INTEGER);
