// Quotes. This is a disk format.
// A quote request is one event, however many customers it names. What customers share is stored once: locations, items, filters, each
// priced rate card, the names of services and surcharges; `results` refers to them by their index. Rate cards are not copied: the
// catalogue version names them, and the organisation's stream has every version.
import { z } from "zod";
import { principal } from "../domain/principal.js";
import { uuidPattern } from "../domain/uuid.js";

const instant = z.iso.datetime();
const index = z.number().int().min(0);

export const location = z.object({
  postalCode: z.string(),
  suburb: z.string(),
  city: z.string(),
  state: z.string(),
  stateName: z.string(),
  countryCode: z.string(),
});

/** The requested item, in metres, with the chargeable weight of the answer. */
const quotedItem = z.object({
  quantity: z.number(),
  length: z.number(),
  width: z.number(),
  height: z.number(),
  weight: z.number(),
  type: z.string().optional(),
  itemValue: z.number().optional(),
  chargeableWeight: z.number(),
});

const texts = z.array(z.string()).optional();

export const quoteFilters = z.object({
  carrierIds: texts,
  serviceIds: texts,
  rateCardIds: texts,
  serviceTypes: texts,
  serviceClasses: texts,
});

/** One rate card's price and its steps. Amounts are rounded to the cent; prices per kg are not. `kg` is `exactKg`, rounded up. */
const quotedCard = z.object({
  rateCardId: z.string(),
  rateCardName: z.string(),
  service: index,
  /** Origin and destination, in the card's zone map. */
  zones: z.tuple([z.string(), z.string()]),
  exactKg: z.string(),
  kg: z.number(),
  basic: z.number(),
  /** The rates that were applied, each with the kg (an exact decimal) that it priced. */
  rates: z.array(z.object({ fromKg: z.number(), perKg: z.number(), kg: z.string() })),
  minimumApplied: z.literal(true).optional(),
  amount: z.number(),
  surcharges: z.array(z.object({ surcharge: index, items: z.number(), amount: z.number() })), // `items`: how many met the condition
  fuelPercent: z.number(),
  fuel: z.number(),
  gst: z.number(),
  total: z.number(),
  transit: z.object({ min: z.number(), max: z.number(), unit: z.enum(["H", "D", "W"]) }).optional(),
  /** The message of a spot rate; absent for other cards. */
  spot: z.string().optional(),
});

/** Every event of a quote request's stream. */
export const quotesEvents = {
  QuotesGenerated: z.object({
    /** Names this event's stream. The quote of the n-th result is `<quotesId>-<n>`, counted from 1. `requestId` is the HTTP request's. */
    quotesId: z.string(),
    organisationId: z.string(),
    catalogueVersion: z.number().int(),
    by: principal,
    requestId: z.string(),
    at: instant,
    origin: location,
    destination: location,
    items: z.array(quotedItem),
    filters: quoteFilters,
    services: z.array(z.object({ id: z.string(), name: z.string() })),
    surcharges: z.array(z.object({ key: z.string(), name: z.string(), description: z.string() })),
    cards: z.array(quotedCard),
    /** One per customer; `cards` cheapest first. */
    results: z.array(z.object({ customerId: z.string(), cards: z.array(index), noQuoteMessage: z.string().optional() })),
  }),
} as const;

/** Every event of a single quote's stream, as older versions wrote them. */
export const quoteEvents = {
  /** Written by older versions of the service: one event per customer, with copies of the rate cards, on `quote-<quoteId>`. */
  QuoteGenerated: z.object({
    quoteId: z.string(),
    organisationId: z.string(),
    customerId: z.string(),
    catalogueVersion: z.number().int(),
    /** The contract's response for this quote, as it was answered. */
    response: z.record(z.string(), z.unknown()),
    /** Everything the price was derived from, step by step. */
    basis: z.record(z.string(), z.unknown()),
    by: principal,
    requestId: z.string(),
    at: instant,
  }),
} as const;

export type QuotesGenerated = z.infer<(typeof quotesEvents)["QuotesGenerated"]>;
export type QuotedCard = z.infer<typeof quotedCard>;
export type QuoteGenerated = z.infer<(typeof quoteEvents)["QuoteGenerated"]>;

const quoteIdPattern = new RegExp(`^(${uuidPattern})(?:-([1-9][0-9]?))?$`);

/** Where a quote is recorded. `number`: the result's number in the request, from 1; 0 for an older quote with a stream of its own. */
export interface QuotePlace {
  readonly quotesId: string;
  readonly number: number;
}

/** Parses a quote id; undefined for any other text. */
export function quotePlaceOf(quoteId: string): QuotePlace | undefined {
  const [, quotesId, number] = quoteIdPattern.exec(quoteId.toLowerCase()) ?? [];
  return quotesId === undefined ? undefined : { quotesId, number: number === undefined ? 0 : Number(number) };
}

export const quoteIdOf = ({ quotesId, number }: QuotePlace): string => (number === 0 ? quotesId : `${quotesId}-${number}`);
