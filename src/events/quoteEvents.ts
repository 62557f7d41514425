// Quotes. This is a disk format.
// One request for quotes is one event, however many customers it names. What customers share stands once: places, items, filters, each
// priced rate card, the names of services and surcharges; `results` refers to them by their place in these lists. Rate cards are not
// copied: the catalogue version names them, and the organisation's stream holds every version.
import { z } from "zod";
import { principal } from "../domain/principal.js";

const instant = z.iso.datetime();
const index = z.number().int().min(0);

export const place = z.object({
  postalCode: z.string(),
  suburb: z.string(),
  city: z.string(),
  state: z.string(),
  stateName: z.string(),
  countryCode: z.string(),
});

/** As it was asked for, in metres, with the chargeable weight that was answered. */
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

const values = z.array(z.string()).optional();

export const quoteFilters = z.object({
  carrierIds: values,
  serviceIds: values,
  rateCardIds: values,
  serviceTypes: values,
  serviceClasses: values,
});

/** One rate card's answer and the steps it was priced by. Money is rounded to the cent, but for rates; texts are exact. */
const quotedCard = z.object({
  rateCardId: z.string(),
  rateCardName: z.string(),
  service: index,
  /** Origin and destination, in the card's zone map. */
  zones: z.tuple([z.string(), z.string()]),
  exactKg: z.string(),
  kg: z.number(),
  basic: z.number(),
  /** The kg that each rate priced. */
  rates: z.array(z.object({ fromKg: z.number(), perKg: z.number(), kg: z.string() })),
  minimumApplied: z.literal(true).optional(),
  amount: z.number(),
  surcharges: z.array(z.object({ surcharge: index, items: z.number(), amount: z.number() })),
  fuelPercent: z.number(),
  fuel: z.number(),
  gst: z.number(),
  total: z.number(),
  transit: z.object({ min: z.number(), max: z.number(), unit: z.enum(["H", "D", "W"]) }).optional(),
  /** The message of a spot rate; absent for a card that is none. */
  spot: z.string().optional(),
});

const quotesGenerated = z.object({
  /** The request's id, and its stream's. The quote of the n-th result is `<quotesId>-<n>`, counted from 1. */
  quotesId: z.string(),
  organisationId: z.string(),
  catalogueVersion: z.number().int(),
  by: principal,
  requestId: z.string(),
  at: instant,
  origin: place,
  destination: place,
  items: z.array(quotedItem),
  filters: quoteFilters,
  services: z.array(z.object({ id: z.string(), name: z.string() })),
  surcharges: z.array(z.object({ key: z.string(), name: z.string(), description: z.string() })),
  cards: z.array(quotedCard),
  /** One per customer; `cards` cheapest first. */
  results: z.array(z.object({ customerId: z.string(), cards: z.array(index), noQuoteMessage: z.string().optional() })),
});

/** Written by earlier versions of the service: one event per customer, rate cards and all, on `quote-<quoteId>`. */
const quoteGenerated = z.object({
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
});

/** Every event of a request for quotes. */
export const quotesEvents = { QuotesGenerated: quotesGenerated } as const;

/** Every event of the stream of a quote alone. */
export const quoteEvents = { QuoteGenerated: quoteGenerated } as const;

export type QuotesGenerated = z.infer<typeof quotesGenerated>;
export type QuotedCard = z.infer<typeof quotedCard>;
export type QuoteGenerated = z.infer<typeof quoteGenerated>;
