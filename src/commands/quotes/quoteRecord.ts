// Turns priced results into the event's data: each card, service and surcharge once, even if several customers share it.

import type { Filters } from "../../domain/rating/quoteRequest.js";
import type { PricedCard, PricedResult, QuoteEntry } from "../../domain/rating/quotes.js";
import { Rejection } from "../../domain/rejection.js";
import type { QuotedCard, QuotesGenerated } from "../../events/quoteEvents.js";
import { AppendTooLarge } from "../../portErrors.js";

type QuoteRecord = Pick<QuotesGenerated, "services" | "surcharges" | "cards" | "results">;

export function recordOf(priced: readonly PricedResult[]): QuoteRecord {
  const services = createList<QuoteRecord["services"][number]>();
  const surcharges = createList<QuoteRecord["surcharges"][number]>();
  const cards: QuotedCard[] = [];
  const known = new Map<PricedCard, number>();
  const placeOf = (card: PricedCard, entry: QuoteEntry): number => {
    const place = known.get(card) ?? cards.push(quotedCard(card, entry, { services, surcharges })) - 1;
    known.set(card, place);
    return place;
  };
  const results = priced.map(({ customerId, noQuoteMessage, quotes, basis }) => ({
    customerId,
    cards: basis.cards.map((card, index) => placeOf(card, quotes[index] as QuoteEntry)),
    ...(noQuoteMessage !== "" && { noQuoteMessage }),
  }));
  return { services: services.entries, surcharges: surcharges.entries, cards, results };
}

interface List<Entry> {
  readonly entries: Entry[];
  /** The index of the entry, which is added if its name is new. */
  placeOf(entry: Entry, name: string): number;
}

function createList<Entry>(): List<Entry> {
  const entries: Entry[] = [];
  const known = new Map<string, number>();
  return {
    entries,
    placeOf(entry, name) {
      const place = known.get(name) ?? entries.push(entry) - 1;
      known.set(name, place);
      return place;
    },
  };
}

type Lists = { readonly services: List<QuoteRecord["services"][number]>; readonly surcharges: List<QuoteRecord["surcharges"][number]> };

function quotedCard({ terms, steps }: PricedCard, entry: QuoteEntry, { services, surcharges }: Lists): QuotedCard {
  const { originZone, destinationZone, fuelLevyPercent, lane } = terms;
  return {
    rateCardId: entry.rateCardId,
    rateCardName: entry.rateCardName,
    service: services.placeOf({ id: entry.serviceId, name: entry.serviceName }, entry.serviceId),
    zones: [originZone, destinationZone],
    exactKg: steps.exactKg,
    kg: steps.kg,
    basic: steps.basic,
    rates: steps.kgCharge.map(({ fromKg, perKg, kg }) => ({ fromKg, perKg, kg })),
    ...(steps.minimumApplied && { minimumApplied: true }),
    amount: steps.amount,
    surcharges: steps.surcharges.map(({ key, name, description, items, amount }) => {
      const surcharge = surcharges.placeOf({ key, name, description }, JSON.stringify([key, name, description]));
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

/**
 * A request is recorded as one event, and an event has a size limit. The message names the limit and the largest part of the request, which
 * the caller can make smaller.
 */
export function rejectTooLarge(error: unknown, { items, filters, cards, services, surcharges }: QuotesGenerated): never {
  if (!(error instanceof AppendTooLarge)) throw error;
  const sizeOf = (part: unknown) => Buffer.byteLength(JSON.stringify(part));
  const [ofItems, ofFilters, ofCards] = [sizeOf(items), sizeOf(filters), sizeOf([cards, services, surcharges])];
  const limit = `at most ${error.maxBytes} bytes can be recorded of one request`;
  const message =
    ofCards >= Math.max(ofItems, ofFilters)
      ? `the matching rate cards of the customers hold too much text: ${limit}. Send fewer customers at once, or narrow the request with filters (${filterFields.join(", ")})`
      : ofFilters > ofItems
        ? `filters hold too much text: ${limit}. Send fewer values in them`
        : `items hold too much text: ${limit}. Shorten their types or send fewer of them`;
  throw new Rejection("invalid", message, [message]);
}
