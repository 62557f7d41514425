import { compileCatalogue } from "../../domain/catalogue/catalogue.js";
import type { Principal } from "../../domain/principal.js";
import { type Explanation, explainRecordedQuote as explain, type RecordedQuote } from "../../domain/rating/explain.js";
import { catalogueFileAt } from "../../events/catalogue.js";
import { type QuotePlace, quoteIdOf, quotePlaceOf } from "../../events/quoteEvents.js";
import { type QuoteEvent, readQuotes, recordedQuote } from "../../events/recordedQuote.js";
import type { Stores } from "../../ports/database.js";

/** A quote, who requested it, and how each of its prices was calculated. */
export interface ExplainedQuote {
  readonly quoteId: string;
  readonly organisationId: string;
  readonly catalogueVersion: number;
  readonly currency: string;
  readonly by: Principal;
  readonly recorded: RecordedQuote;
  readonly explanation: Explanation;
}

/** The organisation of a quote; undefined for an unknown quote. Only for the command line, which may read every organisation's quotes. */
export async function organisationOfQuote(quoteId: string, { eventStore }: Sources): Promise<string | undefined> {
  const place = quotePlaceOf(quoteId);
  return place && (await readQuotes(eventStore, place))?.data.organisationId;
}

/** Derives the quote again from its catalogue version in the organisation's stream. Undefined unless the organisation has the quote. */
export async function explainQuote(organisationId: string, quoteId: string, sources: Sources): Promise<ExplainedQuote | undefined> {
  const found = await findQuoteEvent(organisationId, quoteId, sources);
  if (!found) return undefined;
  const { event, place } = found;
  if (!recordedQuote(event, place.number)) {
    if (event.type === "QuoteGenerated") throw new Error(`the event of quote ${quoteId} holds nothing to derive it from`);
    return undefined;
  }
  return (await deriveQuotes(found, [place.number], sources))[0];
}

/** All quotes of the request that a quote belongs to: one for each customer, in the order of the request. */
export async function explainRequest(
  organisationId: string,
  quoteId: string,
  sources: Sources,
): Promise<readonly ExplainedQuote[] | undefined> {
  const found = await findQuoteEvent(organisationId, quoteId, sources);
  if (!found) return undefined;
  const { event, place } = found;
  const numbers = event.type === "QuotesGenerated" ? event.data.results.map((_, index) => index + 1) : [place.number];
  return numbers.includes(place.number) ? deriveQuotes(found, numbers, sources) : undefined;
}

type Sources = Pick<Stores, "eventStore">;

interface FoundQuote {
  readonly place: QuotePlace;
  readonly event: QuoteEvent;
}

async function findQuoteEvent(organisationId: string, quoteId: string, { eventStore }: Sources): Promise<FoundQuote | undefined> {
  const place = quotePlaceOf(quoteId);
  const event = place && (await readQuotes(eventStore, place));
  return place && event?.data.organisationId === organisationId ? { place, event } : undefined;
}

async function deriveQuotes({ place, event }: FoundQuote, numbers: readonly number[], { eventStore }: Sources): Promise<ExplainedQuote[]> {
  const { organisationId, catalogueVersion, by } = event.data;
  const file = await catalogueFileAt(organisationId, catalogueVersion, eventStore);
  if (!file) throw new Error(`the stream of organisation ${organisationId} holds no catalogue version ${catalogueVersion}`);
  const catalogue = compileCatalogue(file);
  return numbers.flatMap((number) => {
    const recorded = recordedQuote(event, number);
    if (!recorded) return [];
    const quoteId = quoteIdOf({ ...place, number });
    return [
      { quoteId, organisationId, catalogueVersion, currency: catalogue.currency, by, recorded, explanation: explain(recorded, catalogue) },
    ];
  });
}
