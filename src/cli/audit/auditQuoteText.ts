import type { NameOf } from "../../audit/history/names.js";
import type { Location } from "../../domain/geography/geography.js";
import type { ExplainedCard } from "../../domain/rating/explain.js";
import type { Item } from "../../domain/rating/quoteRequest.js";
import type { ExplainedQuote } from "../../queries/quotes/explainQuote.js";

/** The lines that `audit quote` prints. */
export function quoteText(
  { quoteId, organisationId, catalogueVersion, by, recorded, explanation }: ExplainedQuote,
  nameOf: NameOf,
): string[] {
  const { customerId, at, origin, destination, items } = recorded;
  const { today, cards, differences, noQuoteMessage } = explanation;
  return [
    `quote ${quoteId} for ${customerId} of ${organisationId}, priced ${at.toISOString()} by catalogue version ${catalogueVersion} for ${nameOf(by)}`,
    `from ${place(origin)} to ${place(destination)}, by the rates valid on ${today}`,
    ...items.map(itemLine),
    ...cards.flatMap(cardLines),
    ...(noQuoteMessage === "" ? [] : [noQuoteMessage]),
    ...differences.map((sentence) => `DIFFERS: ${sentence}`),
  ];
}

const place = ({ suburb, state, postalCode, countryCode }: Location): string => `${suburb} ${state} ${postalCode} ${countryCode}`;

function itemLine({ quantity, type, length, width, height, weight }: Item): string {
  return `  ${quantity} x ${type ?? "item"}, ${length} x ${width} x ${height} m, ${weight} kg each`;
}

function cardLines({ entry, terms, steps, differences }: ExplainedCard): string[] {
  const { lane, originZone, destinationZone, cubicFactor, fuelLevyPercent, gstApplies } = terms;
  return [
    `${entry.rateCardId} (${entry.serviceId}), zone ${originZone} to ${destinationZone}, lane ${lane.from} to ${lane.to}`,
    step(`${steps.kg} kg`, `${steps.exactKg} kg at ${cubicFactor} kg per cubic metre, rounded up`),
    step(money(steps.basic), "basic"),
    ...steps.kgCharge.map(({ kg, perKg, charge }) => step(exact(charge), `${kg} kg at ${perKg}`)),
    step(money(steps.amount), steps.minimumApplied ? "freight, raised to the minimum" : "freight"),
    ...steps.surcharges.map(({ key, name, amount }) => step(money(amount), `${name} (${key})`)),
    step(money(steps.fuel), `fuel, ${fuelLevyPercent}% of ${money(steps.fuelBase)}`),
    step(money(steps.gst), gstApplies ? `GST, 10% of ${money(steps.gstBase)}` : "GST, not within Australia"),
    step(money(steps.total), differences.length === 0 ? "total, as it was answered" : "total, which is NOT as it was recorded"),
    ...differences.map((sentence) => `  DIFFERS: ${sentence}`),
  ];
}

const money = (amount: number): string => amount.toFixed(2);
/** Not rounded, with at least two decimals. */
const exact = (text: string): string => {
  const [whole, decimals = ""] = text.split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
};
const step = (figure: string, meaning: string): string => `  ${figure.padStart(14)}  ${meaning}`;
