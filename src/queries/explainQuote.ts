import { compileCatalogue } from "../domain/catalogue/catalogue.js";
import type { Principal } from "../domain/principal.js";
import { type Explanation, explainQuote as explain, type RecordedQuote } from "../domain/rating/explain.js";
import { catalogueFileAt } from "../events/catalogueFileAt.js";
import { quoteIdOf, quotePlaceOf } from "../events/quoteId.js";
import { readQuotes } from "../events/readQuotes.js";
import { recordedQuote } from "../events/recordedQuote.js";
import type { EventStore } from "../ports.js";

/** A quote, who requested it, and how each of its prices was calculated. */
export interface ExplainedQuote {
  readonly quoteId: string;
  readonly organisationId: string;
  readonly catalogueVersion: number;
  readonly by: Principal;
  readonly recorded: RecordedQuote;
  readonly explanation: Explanation;
}

/** The organisation of a quote; undefined when there is no such quote. For the command line, which may see every organisation's. */
export async function organisationOfQuote(quoteId: string, { eventStore }: { eventStore: EventStore }): Promise<string | undefined> {
  const place = quotePlaceOf(quoteId);
  return place && (await readQuotes(eventStore, place))?.data.organisationId;
}

/** Derives the quote again from its catalogue version, read from the organisation's stream. Undefined for an unknown or another organisation's quote. */
export async function explainQuote(
  organisationId: string,
  quoteId: string,
  { eventStore }: { eventStore: EventStore },
): Promise<ExplainedQuote | undefined> {
  const place = quotePlaceOf(quoteId);
  const event = place && (await readQuotes(eventStore, place));
  if (!event || event.data.organisationId !== organisationId) return undefined;
  const recorded = recordedQuote(event, place.number);
  if (!recorded && event.type === "QuoteGenerated") throw new Error(`the event of quote ${quoteId} holds nothing to derive it from`);
  if (!recorded) return undefined;
  const { catalogueVersion } = event.data;
  const file = await catalogueFileAt(eventStore, organisationId, catalogueVersion);
  if (!file) throw new Error(`the stream of organisation ${organisationId} holds no catalogue version ${catalogueVersion}`);
  const explanation = explain(recorded, compileCatalogue(file));
  return { quoteId: quoteIdOf(place), organisationId, catalogueVersion, by: event.data.by, recorded, explanation };
}

/** All quotes of the request that a quote belongs to, one for each customer, in the order they were asked for. */
export async function explainRequest(
  organisationId: string,
  quoteId: string,
  { eventStore }: { eventStore: EventStore },
): Promise<readonly ExplainedQuote[] | undefined> {
  const place = quotePlaceOf(quoteId);
  const event = place && (await readQuotes(eventStore, place));
  if (!event || event.data.organisationId !== organisationId) return undefined;
  const numbers = event.type === "QuotesGenerated" ? event.data.results.map((_, index) => index + 1) : [place.number];
  if (!numbers.includes(place.number)) return undefined;
  const { catalogueVersion, by } = event.data;
  const file = await catalogueFileAt(eventStore, organisationId, catalogueVersion);
  if (!file) throw new Error(`the stream of organisation ${organisationId} holds no catalogue version ${catalogueVersion}`);
  const catalogue = compileCatalogue(file);
  return numbers.flatMap((number) => {
    const recorded = recordedQuote(event, number);
    const id = quoteIdOf({ ...place, number });
    return recorded ? [{ quoteId: id, organisationId, catalogueVersion, by, recorded, explanation: explain(recorded, catalogue) }] : [];
  });
}
