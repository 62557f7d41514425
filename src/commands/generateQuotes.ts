import type { Catalogue } from "../domain/catalogue/catalogue.js";
import type { Geography, Location, LocationFault } from "../domain/geography/geography.js";
import type { Goods } from "../domain/rating/consignment.js";
import type { QuoteRequest } from "../domain/rating/quoteRequest.js";
import { priceQuotes, type QuoteEntry } from "../domain/rating/quotes.js";
import { Rejection } from "../domain/rejection.js";
import { AppendTooLarge } from "../portErrors.js";
import type { EventStore } from "../ports.js";
import { recordQuotes } from "./quote.js";

export interface QuoteResult {
  readonly customerId: string;
  readonly quoteId: string;
  readonly noQuoteMessage: string;
  readonly quotes: readonly (QuoteEntry & { readonly rateId: string })[];
}

export interface QuoteResponse {
  readonly origin: Location;
  readonly destination: Location;
  readonly goods: readonly Goods[];
  readonly results: readonly QuoteResult[];
}

export interface QuoteOrigin {
  readonly organisationId: string;
  readonly catalogueVersion: number;
  readonly keyPrefix: string;
  readonly requestId: string;
  readonly now: Date;
}

export interface QuoteDeps {
  readonly events: EventStore;
  readonly catalogue: Catalogue;
  readonly geography: Geography;
  readonly newId: () => string;
}

/** Prices a request for each of its customers and records one quote per customer before it answers. */
export async function generateQuotes(deps: QuoteDeps, request: QuoteRequest, from: QuoteOrigin): Promise<QuoteResponse> {
  const { customerIds } = request.general;
  refuseStrangers(deps.catalogue, customerIds);
  const { origin, destination } = resolveEnds(deps.geography, request);
  const { items, filters } = request;
  const { goods, results } = priceQuotes({ catalogue: deps.catalogue, customerIds, items, origin, destination, filters, now: from.now });
  const quotes = results.map(({ basis, ...result }) => {
    const quoteId = deps.newId();
    return {
      basis,
      result: {
        customerId: result.customerId,
        quoteId,
        noQuoteMessage: result.noQuoteMessage,
        quotes: withRateIds(quoteId, result.quotes),
      },
    };
  });
  const at = from.now.toISOString();
  const { organisationId, catalogueVersion, keyPrefix, requestId } = from;
  const recorded = quotes.map(({ basis, result }) => ({
    quoteId: result.quoteId,
    organisationId,
    customerId: result.customerId,
    catalogueVersion,
    response: { origin, destination, goods, results: [result] },
    basis: { ...basis, filters },
    keyPrefix,
    requestId,
    at,
  }));
  await recordQuotes(deps, recorded).catch(refuseTooLarge);
  return { origin, destination, goods, results: quotes.map(({ result }) => result) };
}

/** One stranger among them and nobody is priced: no partial results. */
function refuseStrangers(catalogue: Catalogue, customerIds: readonly string[]): void {
  const strangers = customerIds.filter((id) => !catalogue.customers.has(id));
  if (strangers.length > 0) throw new Rejection("forbidden", `Not customers of your organisation: ${strangers.join(", ")}`);
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

function withRateIds(quoteId: string, quotes: readonly QuoteEntry[]): QuoteResult["quotes"] {
  return quotes.map((quote, index) => ({ rateId: `${quoteId}-${index + 1}`, ...quote }));
}

function refuseTooLarge(error: unknown): never {
  if (!(error instanceof AppendTooLarge)) throw error;
  const message = "items hold more text than one quote can record. Shorten their types or send fewer of them";
  throw new Rejection("invalid", message, [message]);
}
