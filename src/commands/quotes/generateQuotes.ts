import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import type { Geography, Location, LocationFault } from "../../domain/geography/geography.js";
import type { Principal } from "../../domain/principal.js";
import type { QuoteRequest } from "../../domain/rating/quoteRequest.js";
import { priceQuotes } from "../../domain/rating/quotes.js";
import { Rejection } from "../../domain/rejection.js";
import { encode } from "../../events/codec.js";
import { quoteAnswerText } from "../../events/quoteAnswer.js";
import type { QuotesGenerated } from "../../events/quoteEvents.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, noStream } from "../../ports/eventStore.js";
import { quoteRecordOf, rejectTooLarge } from "./quoteRecord.js";

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
}

export interface GeneratedQuotes {
  readonly event: QuotesGenerated;
  /** The contract's response, as JSON. */
  readonly response: string;
}

/** Prices a request for each of its customers and returns when the event store has acknowledged the event. */
export async function generateQuotes(deps: QuoteDeps, request: QuoteRequest, from: QuoteOrigin): Promise<GeneratedQuotes> {
  rejectUnknownCustomers(deps.catalogue, request.general.customerIds);
  const event = decideQuotes(deps, request, from);
  const { organisationId, by, requestId, quotesId } = event;
  const context = { organisation: organisationId, by, correlationId: requestId };
  // The event's id is the request's id, so that the event store recognises a resend.
  const encoded = encode("QuotesGenerated", event, context, quotesId);
  const recorded = deps.events.append(streamOf.quotes(quotesId), [encoded], noStream);
  const response = quoteAnswerText(event);
  await recorded.catch((error: unknown) => rejectTooLarge(error, event));
  return { event, response };
}

function decideQuotes({ catalogue, geography, newId }: QuoteDeps, request: QuoteRequest, from: QuoteOrigin): QuotesGenerated {
  const { items, filters, general } = request;
  const { origin, destination } = resolveEnds(geography, request);
  const { customerIds } = general;
  const { goods, results } = priceQuotes({ catalogue, customerIds, items, origin, destination, filters, now: from.now });
  const { organisationId, catalogueVersion, by, requestId, now } = from;
  return {
    quotesId: newId(),
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
}

/** With one unknown customer the whole request is rejected: there are no partial results. */
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
