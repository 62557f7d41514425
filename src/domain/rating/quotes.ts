import { cacheResults } from "../cacheResults.js";
import type { Catalogue, CompiledCard } from "../catalogue/catalogue.js";
import type { Lane } from "../catalogue/schema.js";
import { centsToNumber, maxCents } from "../exactDecimal.js";
import type { Location } from "../geography/geography.js";
import { type Consignment, createConsignment } from "./consignment.js";
import { type PriceSteps, type PriceTerms, priceOf, type SurchargeLine } from "./price.js";
import type { Filters, Item } from "./quoteRequest.js";

/** A quote entry of the contract, without its `rateId`. */
export interface QuoteEntry extends Transit {
  readonly serviceName: string;
  readonly serviceId: string;
  readonly rateCardName: string;
  readonly rateCardId: string;
  readonly amount: number;
  readonly totalAmount: number;
  readonly gstAmount: number;
  readonly isSpotRate: boolean;
  readonly spotRateMessage: string;
  readonly surcharges: readonly SurchargeLine[];
}

/** One priced card: what it was priced from, and how. */
export interface PricedCard {
  readonly terms: PriceTerms;
  readonly steps: PriceSteps;
}

export type PricedResult = ReturnType<typeof priceQuotes>["results"][number];

export interface QuoteTask {
  readonly catalogue: Catalogue;
  readonly customerIds: readonly string[];
  readonly items: readonly Item[];
  readonly origin: Location;
  readonly destination: Location;
  readonly filters: Filters;
  readonly now: Date;
}

type Candidate = NonNullable<ReturnType<typeof priceCard>>;

/**
 * Prices the goods for every customer, and computes what customers share (zones, kg, cards) once. `quotes`: cheapest first. `cards`: what
 * each quote was priced from. `today`: the date in the organisation's time zone, which decided what was valid.
 */
export function priceQuotes(task: QuoteTask) {
  const consignment = createConsignment(task.items);
  const today = task.catalogue.today(task.now);
  // How a card fits this request, for any customer. A card that passes the filters may still have no rate for the lane.
  const assessCard = cacheResults(task.catalogue.file.rateCards.length, (card: CompiledCard) => {
    const isValid = isCurrent(card, today, task.now);
    const passes = isValid && passesFilters(card, task.filters);
    return { isValid, passes, candidate: passes ? priceCard(card, task, consignment) : undefined };
  });
  const results = task.customerIds.map((customerId) => {
    const validCards = task.catalogue
      .cardsOf(customerId)
      .map(assessCard)
      .filter((card) => card.isValid);
    const passing = validCards.filter((card) => card.passes);
    const candidates = passing.flatMap(({ candidate }) => candidate ?? []).sort(cheapestFirst);
    const [quotes, cards] = [candidates.map(({ entry }) => entry), candidates.map(({ priced }) => priced)];
    const noQuoteMessage = candidates.length > 0 ? "" : noQuoteReason(task, customerId, validCards.length, passing.length);
    return { customerId, noQuoteMessage, quotes, cards, today };
  });
  return { goods: consignment.goods(task.catalogue.organisation.cubicFactor), results };
}

function isCurrent({ card, spotExpiresAt }: CompiledCard, today: string, now: Date): boolean {
  const isInPeriod = card.validFrom <= today && (card.validTo === null || today <= card.validTo);
  return isInPeriod && (spotExpiresAt === undefined || now.getTime() < spotExpiresAt);
}

function priceCard(compiled: CompiledCard, task: QuoteTask, consignment: Consignment) {
  const { card, service } = compiled;
  const { catalogue, origin, destination } = task;
  const originZone = catalogue.zoneOf(card.zoneMapId, origin.countryCode, origin.postalCode);
  const destinationZone = catalogue.zoneOf(card.zoneMapId, destination.countryCode, destination.postalCode);
  if (originZone === undefined || destinationZone === undefined) return undefined;
  const lane = compiled.laneBetween(originZone, destinationZone);
  if (!lane) return undefined;
  const gstApplies = origin.countryCode === "AU" && destination.countryCode === "AU";
  const { breakMethod, surcharges, fuelLevyPercent } = card;
  const { cubicFactor } = compiled;
  const terms = { originZone, destinationZone, cubicFactor, lane, breakMethod, surcharges, fuelLevyPercent, gstApplies };
  const { total, lines, steps } = priceOf(terms, consignment);
  if (total > maxCents) return undefined;
  const entry: QuoteEntry = {
    serviceName: service.name,
    serviceId: service.id,
    rateCardName: card.name,
    rateCardId: card.id,
    amount: steps.amount,
    totalAmount: centsToNumber(total),
    gstAmount: steps.gst,
    isSpotRate: card.spot !== null,
    spotRateMessage: card.spot?.message ?? "",
    ...transitOf(lane),
    surcharges: lines,
  };
  return { total, entry, priced: { terms, steps } };
}

/** Equal prices are ordered by service and rate card id, so that the same request always gives the same order. */
const cheapestFirst = (a: Candidate, b: Candidate): number =>
  Number(a.total - b.total) || compareText(a.entry.serviceId, b.entry.serviceId) || compareText(a.entry.rateCardId, b.entry.rateCardId);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function noQuoteReason(task: QuoteTask, customerId: string, validCount: number, passingCount: number): string {
  if (validCount === 0) return `No rate card for the customer ${customerId} is valid today`;
  if (passingCount === 0) return "Nothing left after the filters; widen or omit them";
  const place = ({ suburb, postalCode, countryCode }: Location): string => `${suburb} ${postalCode} ${countryCode}`;
  return `No rate for the lane from ${place(task.origin)} to ${place(task.destination)}`;
}

/** A card passes if it fits one of the values of every field. An empty field restricts nothing. */
export const passesFilters = ({ card, service }: CompiledCard, filters: Filters): boolean =>
  allows(filters.carrierIds, service.carrierId) &&
  allows(filters.serviceIds, service.id) &&
  allows(filters.rateCardIds, card.id) &&
  allows(filters.serviceTypes?.map(upper), upper(service.type)) &&
  allows(filters.serviceClasses?.map(upper), upper(service.class));

const allows = (values: readonly string[] | undefined, value: string): boolean =>
  values === undefined || values.length === 0 || values.includes(value);

const upper = (text: string): string => text.toUpperCase();

export interface Transit {
  readonly deliveryTime: string;
  readonly minTransitTime: number;
  readonly maxTransitTime: number;
  readonly transitTimeUnit: string;
}

const units = { H: ["hour", "hours"], D: ["business day", "business days"], W: ["week", "weeks"] } as const;

/** A lane's transit as quotes have it, such as `1-2 business days` or `Same day`; empty if the lane has none. */
export function transitOf({ transit }: Pick<Lane, "transit">): Transit {
  if (!transit) return { deliveryTime: "", minTransitTime: 0, maxTransitTime: 0, transitTimeUnit: "D" };
  const { min, max, unit } = transit;
  const [one, many] = units[unit];
  const span = min === max ? String(max) : `${min}-${max}`;
  const text = unit === "D" && max === 0 ? "Same day" : `${span} ${span === "1" ? one : many}`;
  return { deliveryTime: text, minTransitTime: min, maxTransitTime: max, transitTimeUnit: unit };
}
