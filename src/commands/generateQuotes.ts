import type { Catalogue } from "../domain/catalogue/catalogue.js";
import type { Geography, Location, LocationFault } from "../domain/geography/geography.js";
import type { Principal } from "../domain/principal.js";
import type { QuoteRequest } from "../domain/rating/quoteRequest.js";
import { type PricedResult, priceQuotes } from "../domain/rating/quotes.js";
import { Rejection } from "../domain/rejection.js";
import type { EventStore } from "../ports.js";
import { recordQuotes } from "./quote.js";
import { type QuoteFacts, quoteTexts } from "./quoteText.js";
import type { RecentQuotes } from "./recentQuotes.js";
import { refuseTooLarge } from "./tooLargeQuote.js";

export interface QuoteOrigin {
  readonly organisationId: string;
  readonly catalogueVersion: number;
  readonly by: Principal;
  readonly requestId: string;
  readonly now: Date;
}

export interface QuoteDeps {
  readonly events: EventStore;
  readonly catalogue: Catalogue;
  readonly geography: Geography;
  readonly newId: () => string;
  readonly recentQuotes: RecentQuotes;
}

/** Prices a request for each of its customers and records one quote per customer before it answers: the contract's response, as JSON. */
export async function generateQuotes(deps: QuoteDeps, request: QuoteRequest, from: QuoteOrigin): Promise<string> {
  const { customerIds } = request.general;
  refuseStrangers(deps.catalogue, customerIds);
  const { origin, destination } = resolveEnds(deps.geography, request);
  const { items, filters } = request;
  const { goods, results } = priceQuotes({ catalogue: deps.catalogue, customerIds, items, origin, destination, filters, now: from.now });
  const { organisationId, catalogueVersion, by, requestId } = from;
  const facts = { organisationId, catalogueVersion, by, requestId, at: from.now.toISOString() };
  const { recording, largest, kept, response } = record(deps, { ...facts, origin, destination, goods, filters }, results);
  await recording.catch((error: unknown) => refuseTooLarge(error, { items, filters }, goods, largest));
  for (const [quoteId, quote] of kept) deps.recentQuotes.keep(quoteId, quote);
  return response;
}

/** What is recorded is on its way when this returns, and its text is garbage: held until the answer, it would outlive its generation. */
function record(deps: QuoteDeps, facts: QuoteFacts, results: readonly PricedResult[]) {
  const named = results.map((result) => ({ ...result, quoteId: deps.newId() }));
  const { quotes, response } = quoteTexts(facts, named);
  const recording = recordQuotes(deps, facts, quotes);
  const largest = Math.max(...quotes.map(({ event }) => event.length));
  const { organisationId } = facts;
  const kept = quotes.map((quote) => [quote.quoteId, { organisationId, response: quote.response }] as const);
  return { recording, largest, kept, response };
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
