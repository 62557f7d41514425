import { v7 } from "uuid";
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import type { Geography, Location, LocationFault } from "../../domain/geography/geography.js";
import type { Principal } from "../../domain/principal.js";
import type { Filters, QuoteRequest } from "../../domain/rating/quoteRequest.js";
import { type PricedCard, type PricedResult, priceQuotes, type QuoteEntry } from "../../domain/rating/quotes.js";
import { Rejection } from "../../domain/rejection.js";
import { encode } from "../../events/codec.js";
import { quoteAnswerOf } from "../../events/quoteAnswer.js";
import type { QuotedCard, QuotesGenerated } from "../../events/quoteEvents.js";
import { streamOf } from "../../events/streams.js";
import { AppendTooLarge } from "../../portErrors.js";
import { type EventStore, noStream } from "../../ports/eventStore.js";

interface QuoteCall {
  readonly organisationId: string;
  readonly catalogueVersion: number;
  readonly by: Principal;
  readonly requestId: string;
  readonly now: Date;
}

interface QuoteDeps {
  readonly eventStore: EventStore;
  readonly catalogue: Catalogue;
  readonly geography: Geography;
}

/** Prices a request for each of its customers and records the event. Returns the event, and the API's answer as JSON. */
export async function generateQuotes(deps: QuoteDeps, request: QuoteRequest, call: QuoteCall) {
  rejectUnknownCustomers(deps.catalogue, request.general.customerIds);
  const { items, filters, general } = request;
  const { origin, destination } = resolveEnds(deps.geography, request);
  const { organisationId, catalogueVersion, by, requestId, now } = call;
  const { customerIds } = general;
  const { goods, results } = priceQuotes({ catalogue: deps.catalogue, customerIds, items, origin, destination, filters, now });
  const quotesId = v7();
  const event: QuotesGenerated = {
    quotesId,
    organisationId,
    catalogueVersion,
    by,
    requestId,
    at: now.toISOString(),
    origin,
    destination,
    filters,
    items: items.map((item, index) => ({ ...item, chargeableWeight: goods[index]?.chargeableWeight ?? 0 })),
    ...quoteRecordOf(results),
  };
  const context = { organisation: organisationId, by, correlationId: requestId };
  // The event's id is `quotesId`, so that the event store recognises a resend.
  const encoded = encode("QuotesGenerated", event, context, quotesId);
  const recorded = deps.eventStore.append(streamOf.quotes(quotesId), [encoded], noStream);
  const response = JSON.stringify(quoteAnswerOf(event)); // serialised while the append is in flight
  await recorded.catch((error: unknown) => rejectTooLarge(error, event));
  return { event, response };
}

/** One unknown customer rejects the whole request: there are no partial results. */
function rejectUnknownCustomers(catalogue: Catalogue, customerIds: readonly string[]): void {
  const unknown = customerIds.filter((id) => !catalogue.customers.has(id));
  if (unknown.length > 0) throw new Rejection("forbidden", `Not customers of your organisation: ${unknown.join(", ")}`);
}

type Ends = Pick<QuoteRequest, "origin" | "destination">;

function resolveEnds(geography: Geography, request: Ends): Record<keyof Ends, Location> {
  const faults: string[] = [];
  const resolve = (end: keyof Ends): Location | undefined => {
    const { postalCode, suburbName, countryCode } = request[end];
    const resolution = geography.resolve({ postalCode, suburb: suburbName, countryCode });
    if (resolution.ok) return resolution.location;
    faults.push(`${end}.${faultyField[resolution.fault]} could not be resolved. ${resolution.message}`);
    return undefined;
  };
  const [origin, destination] = [resolve("origin"), resolve("destination")];
  if (origin && destination) return { origin, destination };
  throw new Rejection("invalid", "A location could not be resolved", faults);
}

const faultyField: Record<LocationFault, string> = {
  postcode: "postalCode",
  suburb: "suburbName",
  state: "postalCode",
  country: "countryCode",
};

type QuoteRecord = Pick<QuotesGenerated, "services" | "surcharges" | "cards" | "results">;

function quoteRecordOf(priced: readonly PricedResult[]): QuoteRecord {
  const lists: Lists = { services: createList(), surcharges: createList() };
  const cards = createList<PricedCard, QuotedCard>();
  const results = priced.map(({ customerId, noQuoteMessage, quotes, cards: customerCards }) => ({
    customerId,
    cards: customerCards.map((card, index) => cards.indexFor(card, () => quotedCard(card, quotes[index] as QuoteEntry, lists))),
    ...(noQuoteMessage !== "" && { noQuoteMessage }),
  }));
  return { services: lists.services.entries, surcharges: lists.surcharges.entries, cards: cards.entries, results };
}

type List<Key, Entry> = ReturnType<typeof createList<Key, Entry>>;
function createList<Key, Entry>() {
  const entries: Entry[] = [];
  const indices = new Map<Key, number>();
  return {
    entries,
    /** The index of the key's entry, which is added if the key is new. */
    indexFor(key: Key, make: () => Entry): number {
      const index = indices.get(key) ?? entries.push(make()) - 1;
      indices.set(key, index);
      return index;
    },
  };
}

type Lists = { readonly [Name in "services" | "surcharges"]: List<string, QuoteRecord[Name][number]> };

function quotedCard({ terms, steps }: PricedCard, entry: QuoteEntry, { services, surcharges }: Lists): QuotedCard {
  const { originZone, destinationZone, fuelLevyPercent, lane } = terms;
  return {
    rateCardId: entry.rateCardId,
    rateCardName: entry.rateCardName,
    service: services.indexFor(entry.serviceId, () => ({ id: entry.serviceId, name: entry.serviceName })),
    zones: [originZone, destinationZone],
    exactKg: steps.exactKg,
    kg: steps.kg,
    basic: steps.basic,
    rates: steps.kgCharge.map(({ fromKg, perKg, kg }) => ({ fromKg, perKg, kg })),
    ...(steps.minimumApplied && { minimumApplied: true }),
    amount: steps.amount,
    surcharges: steps.surcharges.map(({ key, name, description, items, amount }) => {
      const surcharge = surcharges.indexFor(JSON.stringify([key, name, description]), () => ({ key, name, description }));
      return { surcharge, items, amount };
    }),
    fuelPercent: fuelLevyPercent,
    fuel: steps.fuel,
    gst: steps.gst,
    total: steps.total,
    ...(lane.transit && { transit: lane.transit }),
    ...(entry.isSpotRate && { spot: entry.spotRateMessage }),
  };
}

const filterFields = ["carrierIds", "serviceIds", "rateCardIds", "serviceTypes", "serviceClasses"] satisfies (keyof Filters)[];

/** All quotes of a request are one event, which has a size limit. The message names the limit and the part that the caller can reduce. */
function rejectTooLarge(error: unknown, { items, filters, cards, services, surcharges }: QuotesGenerated): never {
  if (!(error instanceof AppendTooLarge)) throw error;
  const sizeOf = (part: unknown) => Buffer.byteLength(JSON.stringify(part));
  const [itemBytes, filterBytes, cardBytes] = [sizeOf(items), sizeOf(filters), sizeOf([cards, services, surcharges])];
  const limit = `at most ${error.maxBytes} bytes can be recorded of one request`;
  const message =
    cardBytes >= Math.max(itemBytes, filterBytes)
      ? `the matching rate cards of the customers hold too much text: ${limit}. Send fewer customers at once, or narrow the request with filters (${filterFields.join(", ")})`
      : filterBytes > itemBytes
        ? `filters hold too much text: ${limit}. Send fewer values in them`
        : `items hold too much text: ${limit}. Shorten their types or send fewer of them`;
  throw new Rejection("invalid", message, [message]);
}
