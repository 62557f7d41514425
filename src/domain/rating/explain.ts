// Derives a recorded quote again from the catalogue of its day: each card's price step by step, and where it differs from the record.
import type { Catalogue } from "../catalogue/catalogue.js";
import type { Location } from "../geography/geography.js";
import type { PriceSteps, PriceTerms } from "./price.js";
import type { Filters, Item } from "./quoteRequest.js";
import { type PricedCard, priceQuotes, type QuoteEntry } from "./quotes.js";

/** A quote as it was recorded, whichever event recorded it. */
export interface RecordedQuote {
  readonly customerId: string;
  readonly origin: Location;
  readonly destination: Location;
  readonly items: readonly Item[];
  readonly filters: Filters;
  readonly at: Date;
  readonly noQuoteMessage: string;
  /** The answered cards, cheapest first. */
  readonly cards: readonly RecordedCard[];
}

export interface RecordedCard {
  /** The entry in the answer. */
  readonly entry: QuoteEntry;
  /** The part of the price's terms that the event holds. */
  readonly terms: Partial<PriceTerms>;
  readonly steps: RecordedSteps;
}

export type RecordedSteps = { readonly [Field in keyof PriceSteps]?: unknown };

/** Its terms are what the catalogue of the day says about this card between these zones. */
export interface ExplainedCard extends PricedCard {
  readonly entry: QuoteEntry;
  /** Sentences; empty if the card comes out as it was recorded and answered. */
  readonly differences: readonly string[];
}

export type Explanation = ReturnType<typeof explainRecordedQuote>;

/** `agrees`: everything comes out again, to the cent. `differences`: about the quote as a whole. */
export function explainRecordedQuote(recorded: RecordedQuote, catalogue: Catalogue) {
  const { customerId, items, origin, destination, filters, at } = recorded;
  const { results } = priceQuotes({ catalogue, customerIds: [customerId], items, origin, destination, filters, now: at });
  const { quotes = [], cards: priced = [], today = "", noQuoteMessage = "" } = results[0] ?? {};
  const cards = quotes.map((entry, index): ExplainedCard => {
    const recordedCard = recorded.cards.find((card) => card.entry.rateCardId === entry.rateCardId);
    return explainCard({ entry, ...(priced[index] as PricedCard) }, recordedCard);
  });
  const whole = [...quoteDifferences(recorded, quotes), ...compareFields({ noQuoteMessage: recorded.noQuoteMessage }, { noQuoteMessage })];
  const agrees = whole.length === 0 && cards.every((card) => card.differences.length === 0);
  return { agrees, today, noQuoteMessage, cards, differences: whole };
}

function explainCard({ entry, terms, steps }: PricedCard & { readonly entry: QuoteEntry }, recorded: RecordedCard | undefined) {
  const sentences = recorded
    ? [...compareFields(recorded.entry, entry), ...compareFields(recorded.terms, terms), ...compareFields(recorded.steps, steps)]
    : ["the recorded quote does not have this card"];
  return { entry, terms, steps, differences: [...new Set(sentences)] };
}

function quoteDifferences({ cards }: RecordedQuote, derived: readonly QuoteEntry[]): string[] {
  const [before, after] = [cards.map(({ entry }) => entry.rateCardId), derived.map(({ rateCardId }) => rateCardId)];
  const missing = before.filter((id) => !after.includes(id)).map((id) => `${id} is in the recorded quote and is not computed now`);
  const isReordered = missing.length === 0 && before.length === after.length && before.some((id, index) => id !== after[index]);
  return isReordered ? ["the rate cards are now in another order"] : missing;
}

/** One sentence for each field of `recorded` that has another value in `derived`. Fields that were not recorded are not compared. */
function compareFields(recorded: unknown, derived: unknown, path = ""): string[] {
  if (!isObject(recorded) || !isObject(derived) || Array.isArray(recorded) !== Array.isArray(derived)) {
    return Object.is(recorded, derived) ? [] : [`${path} was recorded as ${asJson(recorded)} and is now computed as ${asJson(derived)}`];
  }
  if (Array.isArray(recorded) && recorded.length !== (derived as unknown as unknown[]).length) {
    return [`${path} has ${recorded.length} recorded entries and is now computed with ${(derived as unknown as unknown[]).length}`];
  }
  return Object.entries(recorded)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => compareFields(value, derived[key], path === "" ? key : `${path}.${key}`));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const asJson = (value: unknown): string => JSON.stringify(value) ?? "nothing";
