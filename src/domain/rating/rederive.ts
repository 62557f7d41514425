import { createConsignment } from "./consignment.js";
import { type PriceSteps, priceOf } from "./price.js";
import type { QuoteBasis } from "./quotes.js";

export interface Rederived {
  readonly rateCardId: string;
  readonly steps: PriceSteps;
  /** Whether every step came out as it was stored. */
  readonly agrees: boolean;
}

/** Prices a stored quote again from nothing but what was stored with it. */
export function rederive(basis: QuoteBasis): Rederived[] {
  const consignment = createConsignment(basis.items);
  return basis.cards.map(({ rateCardId, terms, steps: stored }) => {
    const { steps } = priceOf(terms, consignment);
    return { rateCardId, steps, agrees: sameJson(steps, stored) };
  });
}

/** Whatever the order of the keys, which a store may change. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)));
}
