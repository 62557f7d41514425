import type { Pool } from "pg";
import { quoteAnswerText } from "../../events/quoteAnswer.js";
import { type QuotePlace, type QuotesGenerated, quotePlaceOf } from "../../events/quoteEvents.js";
import { readQuotes } from "../../events/recordedQuote.js";
import { versionOf } from "../../events/upcasters.js";
import type { EventStore } from "../../ports/eventStore.js";
import { type QuoteMemory, type RecentQuotes, recentQuotes } from "./recentQuotes.js";

interface Sources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly quoteMemory: QuoteMemory;
}

/** The contract's response as JSON; undefined for an unknown quote, another organisation's quote, and text that is no quote id. */
export async function findQuote(organisationId: string, quoteId: string, sources: Sources): Promise<string | undefined> {
  const place = quotePlaceOf(quoteId);
  if (place === undefined) return undefined;
  const known = sources.quoteMemory.find(place) ?? (await findAndKeep(organisationId, place, sources));
  return known?.organisationId === organisationId ? known.answer(place.number) : undefined;
}

/** From the table, or from the stream if the table does not have the quote yet, or has it as an earlier version recorded it. */
async function findAndKeep(organisationId: string, place: QuotePlace, { pool, eventStore, quoteMemory }: Sources) {
  const found = (await inTable(organisationId, place, pool)) ?? (await inStream(place, eventStore));
  if (found) quoteMemory.keep(place, found.quotes, found.size);
  return found?.quotes;
}

interface QuoteRecord {
  readonly quotes: RecentQuotes;
  readonly size: number;
}

/** A single quote's row holds its answer, not its event. The row of a request may have been written by an earlier version, which is left out. */
async function inTable(organisationId: string, { quotesId, number }: QuotePlace, pool: Pool): Promise<QuoteRecord | undefined> {
  const { rows } = await pool.query<{ recorded: string }>(
    "select recorded from quote_requests where organisation_id = $1 and quotes_id = $2 and alone = $3 and (alone or version = $4)",
    [organisationId, quotesId, number === 0, versionOf("QuotesGenerated")],
  );
  const recorded = rows[0]?.recorded;
  if (recorded === undefined) return undefined;
  return number === 0 ? alone(organisationId, recorded) : ofRequest(JSON.parse(recorded) as QuotesGenerated);
}

async function inStream(place: QuotePlace, eventStore: EventStore): Promise<QuoteRecord | undefined> {
  const event = await readQuotes(eventStore, place);
  if (event?.type === "QuotesGenerated") return ofRequest(event.data);
  return event && alone(event.data.organisationId, JSON.stringify(event.data.response));
}

const alone = (organisationId: string, response: string): QuoteRecord => ({
  quotes: { organisationId, answer: () => response },
  size: response.length,
});

/** The estimated length of one answer. For several customers each answer is made only when it is fetched. */
const charactersPerResult = 2_000;

function ofRequest(event: QuotesGenerated): QuoteRecord {
  const { length } = event.results;
  const response = length === 1 ? quoteAnswerText(event) : "";
  return { quotes: recentQuotes(event, response), size: Math.max(response.length, length * charactersPerResult) };
}
