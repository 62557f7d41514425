// Makes the contract's answer from the recorded event, both for the request itself and for later fetches.
import { cacheResults } from "../domain/cacheResults.js";
import type { Location } from "../domain/geography/geography.js";
import { type Goods, goodsOf } from "../domain/rating/consignment.js";
import { fuelLine } from "../domain/rating/price.js";
import { type QuoteEntry, transitOf } from "../domain/rating/quotes.js";
import { type QuotedCard, type QuotesGenerated, quoteIdOf } from "./quoteEvents.js";

export interface QuoteAnswer {
  readonly origin: Location;
  readonly destination: Location;
  readonly goods: readonly Goods[];
  readonly results: readonly QuoteResult[];
}

export interface QuoteResult {
  readonly customerId: string;
  readonly quoteId: string;
  readonly noQuoteMessage: string;
  readonly quotes: readonly (QuoteEntry & { readonly rateId: string })[];
}

/** All results, or the one with this number, counted from 1; undefined when there is no such result. */
export function quoteAnswerOf(event: QuotesGenerated): QuoteAnswer;
export function quoteAnswerOf(event: QuotesGenerated, number: number): QuoteAnswer | undefined;
export function quoteAnswerOf(event: QuotesGenerated, number?: number): QuoteAnswer | undefined {
  const { origin, destination, items } = event;
  const numbers = number === undefined ? event.results.map((_, index) => index + 1) : [number];
  // The entries are cached, since customers share most cards.
  const entryOfCard = cacheResults(event.cards.length, (card: number) => entryOf(event, elementAt(event.cards, card)));
  const results = numbers.flatMap((each) => resultOf(event, each, entryOfCard) ?? []);
  if (results.length < numbers.length) return undefined;
  return { origin, destination, goods: goodsIn(items), results };
}

const goodsIn = (items: QuotesGenerated["items"]): Goods[] => items.map((item) => goodsOf(item, item.chargeableWeight));

function resultOf(event: QuotesGenerated, number: number, entryOfCard: (card: number) => QuoteEntry): QuoteResult | undefined {
  const result = event.results[number - 1];
  if (result === undefined) return undefined;
  const { customerId, noQuoteMessage = "" } = result;
  const quoteId = quoteIdOf({ quotesId: event.quotesId, number });
  const quotes = result.cards.map((card, index) => ({ rateId: `${quoteId}-${index + 1}`, ...entryOfCard(card) }));
  return { customerId, quoteId, noQuoteMessage, quotes };
}

function entryOf(event: QuotesGenerated, card: QuotedCard): QuoteEntry {
  const { rateCardName, rateCardId, amount, total, gst, transit, spot } = card;
  const service = elementAt(event.services, card.service);
  const surcharges = card.surcharges.map(({ surcharge, amount: charged }) => {
    const { name, description, key } = elementAt(event.surcharges, surcharge);
    return { name, description, key, amount: charged };
  });
  return {
    serviceName: service.name,
    serviceId: service.id,
    rateCardName,
    rateCardId,
    amount,
    totalAmount: total,
    gstAmount: gst,
    isSpotRate: spot !== undefined,
    spotRateMessage: spot ?? "",
    ...transitOf({ transit }),
    surcharges: card.fuelPercent > 0 ? [...surcharges, fuelLine(card.fuelPercent, card.fuel)] : surcharges,
  };
}

/** Throws if the event refers to an element that its list does not have. */
function elementAt<Value>(list: readonly Value[], index: number): Value {
  const value = list[index];
  if (value === undefined) throw new Error(`a quote refers to entry ${index} of a list of ${list.length}`);
  return value;
}
