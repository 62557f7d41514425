// Converts either event of a recorded quote into the domain's RecordedQuote. Older versions recorded each quote on a stream of its own,
// with its whole answer and everything it was priced from.
import { z } from "zod";
import type { RecordedCard, RecordedQuote } from "../domain/rating/explain.js";
import { item } from "../domain/rating/quoteRequest.js";
import type { QuoteEntry } from "../domain/rating/quotes.js";
import type { EventStore } from "../ports/eventStore.js";
import { decodeOn } from "./codec.js";
import { type QuoteAnswer, type QuoteResult, quoteAnswerOf } from "./quoteAnswer.js";
import { location, type QuotedCard, type QuoteGenerated, type QuotePlace, type QuotesGenerated, quoteFilters } from "./quoteEvents.js";
import type { EventOn } from "./registry.js";
import { streamOf } from "./streams.js";

const answer = z.object({
  origin: location,
  destination: location,
  results: z
    .array(z.object({ noQuoteMessage: z.string(), quotes: z.array(z.looseObject({ serviceName: z.string(), totalAmount: z.number() })) }))
    .length(1),
});

/** Undefined when the event has no answer of the contract's shape. */
export const singleQuoteAnswer = ({ response }: QuoteGenerated): QuoteAnswer | undefined =>
  answer.safeParse(response).success ? (response as unknown as QuoteAnswer) : undefined;

const basis = z.object({
  items: z.array(item),
  filters: quoteFilters,
  cards: z.array(z.object({ terms: z.record(z.string(), z.unknown()), steps: z.record(z.string(), z.unknown()) })),
});

export type QuoteEvent = EventOn<"quotes" | "quote">;

/** Reads the event that recorded a quote; undefined if there is no such quote. */
export async function readQuotes(events: EventStore, { quotesId, number }: QuotePlace): Promise<QuoteEvent | undefined> {
  const kind = number === 0 ? "quote" : "quotes";
  for await (const stored of events.read(streamOf[kind](quotesId), { max: 1 })) return decodeOn(kind, stored);
  return undefined;
}

/** Undefined when the event has no such quote, or too little to derive it from. */
export const recordedQuote = (event: QuoteEvent, number: number): RecordedQuote | undefined =>
  event.type === "QuotesGenerated" ? quoteOfRequest(event.data, number) : singleQuote(event.data);

function quoteOfRequest(event: QuotesGenerated, number: number): RecordedQuote | undefined {
  const [result] = quoteAnswerOf(event, number)?.results ?? [];
  if (!result) return undefined;
  const { origin, destination, filters, items } = event;
  const cards = event.results[number - 1]?.cards.map((card) => event.cards[card] as QuotedCard) ?? [];
  return {
    customerId: result.customerId,
    origin,
    destination,
    filters,
    at: new Date(event.at),
    noQuoteMessage: result.noQuoteMessage,
    items: items.map(({ chargeableWeight: _, ...item }) => item),
    cards: entriesOf(result).map((entry, index) => ({ entry, ...pricingOf(event, cards[index] as QuotedCard) })),
  };
}

/** The result's entries without the rate's id, which is derived from the quote's id. */
const entriesOf = ({ quotes }: QuoteResult): QuoteEntry[] => quotes.map(({ rateId: _, ...entry }) => entry);

function pricingOf({ surcharges }: QuotesGenerated, card: QuotedCard): Pick<RecordedCard, "terms" | "steps"> {
  const { zones, exactKg, kg, basic, rates, minimumApplied, amount, fuelPercent, fuel, gst, total } = card;
  const [originZone, destinationZone] = zones;
  return {
    terms: { originZone, destinationZone, fuelLevyPercent: fuelPercent },
    steps: {
      exactKg,
      kg,
      basic,
      kgCharge: rates,
      minimumApplied: minimumApplied ?? false,
      amount,
      fuel,
      gst,
      total,
      surcharges: card.surcharges.map(({ surcharge, ...charged }) => ({ ...surcharges[surcharge], ...charged })),
    },
  };
}

function singleQuote(event: QuoteGenerated): RecordedQuote | undefined {
  const [answer, { data: derivedFrom }] = [singleQuoteAnswer(event), basis.safeParse(event.basis)];
  const [result] = answer?.results ?? [];
  if (!answer || !derivedFrom || !result || derivedFrom.cards.length !== result.quotes.length) return undefined;
  const { cards, ...goods } = derivedFrom;
  const { origin, destination } = answer;
  const { noQuoteMessage } = result;
  const priced = entriesOf(result).map((entry, index) => ({ entry, terms: {}, steps: {}, ...cards[index] }));
  return { customerId: event.customerId, origin, destination, ...goods, at: new Date(event.at), noQuoteMessage, cards: priced };
}
