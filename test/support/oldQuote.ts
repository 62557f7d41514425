// A quote as earlier versions of the service recorded it: one event, with its rate cards, in a stream of its own.
import { v7 as newId } from "uuid";
import { compileCatalogue } from "../../src/domain/catalogue/catalogue.js";
import type { OrganisationFile } from "../../src/domain/catalogue/schema.js";
import { priceQuotes } from "../../src/domain/rating/quotes.js";
import { encode } from "../../src/events/codec.js";
import type { QuoteGenerated } from "../../src/events/quoteEvents.js";
import { streamOf } from "../../src/events/streams.js";
import { type EventStore, noStream } from "../../src/ports/eventStore.js";

const place = (postalCode: string, suburb: string, state: string, stateName: string) => ({
  ...{ postalCode, suburb, city: suburb, state, stateName, countryCode: "AU" },
});

export interface OldQuote {
  readonly organisationId: string;
  readonly file: OrganisationFile;
  readonly catalogueVersion?: number;
  readonly customerId?: string;
  readonly at?: Date;
}

export function oldQuote({ organisationId, file, catalogueVersion = 1, customerId = "CUST-001", at }: OldQuote): QuoteGenerated {
  const quoteId = newId();
  const now = at ?? new Date();
  const [origin, destination] = [place("2000", "Sydney", "NSW", "New South Wales"), place("3000", "Melbourne", "VIC", "Victoria")];
  const items = [{ quantity: 2, length: 0.5, width: 0.5, height: 0.5, weight: 90, type: "Carton" }];
  const task = { catalogue: compileCatalogue(file), customerIds: [customerId], items, origin, destination, filters: {}, now };
  const { goods, results } = priceQuotes(task);
  const { quotes = [], noQuoteMessage = "", cards, today } = results[0] ?? {};
  const priced = quotes.map((entry, index) => ({ rateId: `${quoteId}-${index + 1}`, ...entry }));
  const event = {
    ...{ quoteId, organisationId, customerId, catalogueVersion },
    response: { origin, destination, goods, results: [{ customerId, quoteId, noQuoteMessage, quotes: priced }] },
    basis: { items, origin, destination, today, cards, filters: {} },
    ...{ by: { kind: "key" as const, id: "wb_live_Old1" }, requestId: "req-old", at: now.toISOString() },
  };
  return JSON.parse(JSON.stringify(event));
}

export async function recordOldQuote(events: EventStore, quote: QuoteGenerated): Promise<QuoteGenerated> {
  const context = { organisation: quote.organisationId, by: quote.by, correlationId: quote.requestId };
  await events.append(streamOf.quote(quote.quoteId), [encode("QuoteGenerated", quote, context, quote.quoteId)], noStream);
  return quote;
}
