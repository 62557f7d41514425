import type { Pool } from "pg";
import { quoteAnswerOf } from "../../events/quoteAnswer.js";
import { type QuotePlace, type QuotesGenerated, quotePlaceOf } from "../../events/quoteEvents.js";
import { readQuotes } from "../../events/recordedQuote.js";
import { versionOf } from "../../events/upcasters.js";
import type { Stores } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";

/** The contract's response as JSON; undefined for an unknown quote, another organisation's quote, and text that is no quote id. */
export async function findQuote(organisationId: string, quoteId: string, { pool, eventStore }: Stores): Promise<string | undefined> {
  const place = quotePlaceOf(quoteId);
  if (place === undefined) return undefined;
  // The stream has it if the table does not have the quote yet, or has it as an earlier version recorded it.
  return (await inTable(organisationId, place, pool)) ?? (await inStream(organisationId, place, eventStore));
}

/** A single quote's row holds its answer, not its event. The row of a request may have been written by an earlier version, which is left out. */
async function inTable(organisationId: string, { quotesId, number }: QuotePlace, pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ recorded: string }>(
    "select recorded from quote_requests where organisation_id = $1 and quotes_id = $2 and alone = $3 and (alone or version = $4)",
    [organisationId, quotesId, number === 0, versionOf("QuotesGenerated")],
  );
  const recorded = rows[0]?.recorded;
  return recorded === undefined || number === 0 ? recorded : JSON.stringify(quoteAnswerOf(JSON.parse(recorded) as QuotesGenerated, number));
}

async function inStream(organisationId: string, place: QuotePlace, eventStore: EventStore): Promise<string | undefined> {
  const event = await readQuotes(eventStore, place);
  if (event?.data.organisationId !== organisationId) return undefined;
  return JSON.stringify(event.type === "QuotesGenerated" ? quoteAnswerOf(event.data, place.number) : event.data.response);
}
