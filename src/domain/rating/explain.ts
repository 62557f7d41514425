import type { Location } from "../geography/geography.js";
import type { Item } from "./quoteRequest.js";
import type { PricedCard, QuoteBasis } from "./quotes.js";
import { type Rederived, rederive } from "./rederive.js";

/** What was answered for one card. */
export interface AnsweredQuote {
  readonly rateCardId: string;
  readonly amount: number;
  readonly gstAmount: number;
  readonly totalAmount: number;
}

export interface Explanation {
  /** Whether every price comes out again as it was stored and as it was answered. */
  readonly agrees: boolean;
  readonly lines: readonly string[];
}

/** A stored quote, derived again step by step, in lines for people. */
export function explainQuote(basis: QuoteBasis, answered: readonly AnsweredQuote[]): Explanation {
  const cards = rederive(basis).map((derived, index) => {
    const agrees = derived.agrees && asAnswered(derived, answered[index]);
    return { agrees, lines: cardLines(basis.cards[index], derived, agrees) };
  });
  const complete = cards.length === answered.length;
  return {
    agrees: complete && cards.every(({ agrees }) => agrees),
    lines: [
      `from ${place(basis.origin)} to ${place(basis.destination)}, by the rates valid on ${basis.today}`,
      ...basis.items.map(itemLine),
      ...(complete ? [] : [`${answered.length} prices were answered, but ${cards.length} were stored`]),
      ...cards.flatMap(({ lines }) => lines),
    ],
  };
}

function asAnswered({ rateCardId, steps }: Rederived, answered: AnsweredQuote | undefined): boolean {
  return (
    answered?.rateCardId === rateCardId &&
    answered.amount === steps.amount &&
    answered.gstAmount === steps.gst &&
    answered.totalAmount === steps.total
  );
}

const place = ({ suburb, state, postalCode, countryCode }: Location): string => `${suburb} ${state} ${postalCode} ${countryCode}`;

function itemLine({ quantity, type, length, width, height, weight }: Item): string {
  return `  ${quantity} x ${type ?? "item"}, ${length} x ${width} x ${height} m, ${weight} kg each`;
}

function cardLines(card: PricedCard | undefined, { rateCardId, steps }: Rederived, agrees: boolean): string[] {
  const terms = card?.terms;
  return [
    `${rateCardId} (${card?.serviceId}), zone ${terms?.originZone} to ${terms?.destinationZone}`,
    step(`${steps.kg} kg`, `${steps.exactKg} kg at ${terms?.cubicFactor} kg per cubic metre, rounded up`),
    step(money(steps.basic), "basic"),
    ...steps.kgCharge.map(({ kg, perKg, charge }) => step(exact(charge), `${kg} kg at ${perKg}`)),
    step(money(steps.amount), steps.minimumApplied ? "freight, raised to the minimum" : "freight"),
    ...steps.surcharges.map(({ key, name, amount }) => step(money(amount), `${name} (${key})`)),
    step(money(steps.fuel), `fuel, ${terms?.fuelLevyPercent}% of ${money(steps.fuelBase)}`),
    step(money(steps.gst), terms?.gstApplies ? `GST, 10% of ${money(steps.gstBase)}` : "GST, not within Australia"),
    step(money(steps.total), agrees ? "total, as it was answered" : "total, which is NOT what was stored or answered"),
  ];
}

const money = (amount: number): string => amount.toFixed(2);
/** Unrounded, but never with fewer than two decimals. */
const exact = (text: string): string => {
  const [whole, decimals = ""] = text.split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
};
const step = (figure: string, meaning: string): string => `  ${figure.padStart(14)}  ${meaning}`;
