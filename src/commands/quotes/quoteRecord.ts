// Turns priced results into the event's data: each card, service and surcharge once, even if several customers share it.

import type { Filters } from "../../domain/rating/quoteRequest.js";
import type { PricedCard, PricedResult, QuoteEntry } from "../../domain/rating/quotes.js";
import { Rejection } from "../../domain/rejection.js";
import type { QuotedCard, QuotesGenerated } from "../../events/quoteEvents.js";
import { AppendTooLarge } from "../../portErrors.js";

type QuoteRecord = Pick<QuotesGenerated, "services" | "surcharges" | "cards" | "results">;

export function quoteRecordOf(priced: readonly PricedResult[]): QuoteRecord {
  const lists: Lists = { services: createList(), surcharges: createList() };
  const cards = createList<PricedCard, QuotedCard>();
  const results = priced.map(({ customerId, noQuoteMessage, quotes, cards: ofCustomer }) => ({
    customerId,
    cards: ofCustomer.map((card, index) => cards.placeOf(card, () => quotedCard(card, quotes[index] as QuoteEntry, lists))),
    ...(noQuoteMessage !== "" && { noQuoteMessage }),
  }));
  return { services: lists.services.entries, surcharges: lists.surcharges.entries, cards: cards.entries, results };
}

interface List<Key, Entry> {
  readonly entries: Entry[];
  /** The index of the key's entry, which is made if the key is new. */
  placeOf(key: Key, make: () => Entry): number;
}

function createList<Key, Entry>(): List<Key, Entry> {
  const entries: Entry[] = [];
  const known = new Map<Key, number>();
  return {
    entries,
    placeOf(key, make) {
      const place = known.get(key) ?? entries.push(make()) - 1;
      known.set(key, place);
      return place;
    },
  };
}

type Lists = { readonly [Name in "services" | "surcharges"]: List<string, QuoteRecord[Name][number]> };

function quotedCard({ terms, steps }: PricedCard, entry: QuoteEntry, { services, surcharges }: Lists): QuotedCard {
  const { originZone, destinationZone, fuelLevyPercent, lane } = terms;
  return {
    rateCardId: entry.rateCardId,
    rateCardName: entry.rateCardName,
    service: services.placeOf(entry.serviceId, () => ({ id: entry.serviceId, name: entry.serviceName })),
    zones: [originZone, destinationZone],
    exactKg: steps.exactKg,
    kg: steps.kg,
    basic: steps.basic,
    rates: steps.kgCharge.map(({ fromKg, perKg, kg }) => ({ fromKg, perKg, kg })),
    ...(steps.minimumApplied && { minimumApplied: true }),
    amount: steps.amount,
    surcharges: steps.surcharges.map(({ key, name, description, items, amount }) => {
      const surcharge = surcharges.placeOf(JSON.stringify([key, name, description]), () => ({ key, name, description }));
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
