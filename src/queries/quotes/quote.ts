import type { Pool } from "pg";
import { answerOf } from "../../events/quoteAnswer.js";
import { type QuotePlace, type QuotesGenerated, quotePlaceOf } from "../../events/quoteEvents.js";
import { readQuotes } from "../../events/recordedQuote.js";
import { versionOf } from "../../events/upcasters.js";
import type { EventStore } from "../../ports/eventStore.js";
import { type QuoteMemory, type RecentQuotes, recentQuotes } from "./recentQuotes.js";

/** The `recorded` column of a quote request; undefined when the organisation has no such request, or the row has an earlier version of the event. */
export type FindRecorded = (organisationId: string, place: QuotePlace) => Promise<string | undefined>;

interface Waiting {
  readonly organisationId: string;
  readonly quotesId: string;
  readonly alone: boolean;
  readonly resolve: (recorded: string | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Two, so that one slow query does not delay all later requests. */
const mostAtOnce = 2;
/** A row may have 60 KB, for a request with fifty customers. */
const mostPerLookUp = 50;

const tables = new WeakMap<Pool, FindRecorded>();

export function quoteTableOf(pool: Pool): FindRecorded {
  const known = tables.get(pool) ?? shareLookUps(pool);
  tables.set(pool, known);
  return known;
}

function shareLookUps(pool: Pool): FindRecorded {
  let waiting: Waiting[] = [];
  let running = 0;
  const pump = (): void => {
    while (waiting.length > 0 && running < mostAtOnce) {
      const batch = waiting.slice(0, mostPerLookUp);
      waiting = waiting.slice(mostPerLookUp);
      running += 1;
      void lookUp(pool, batch).finally(() => {
        running -= 1;
        pump();
      });
    }
  };
  return (organisationId, { quotesId, number }) =>
    new Promise((resolve, reject) => {
      waiting.push({ organisationId, quotesId, alone: number === 0, resolve, reject });
      // At the end of the tick, so that requests read from many sockets in the same tick share a query.
      if (waiting.length === 1) setImmediate(pump);
    });
}

const statement = `
  select wanted.place, r.recorded
    from unnest($1::text[], $2::uuid[], $3::boolean[]) with ordinality as wanted (organisation_id, quotes_id, alone, place)
    join quote_requests r using (organisation_id, quotes_id, alone)
   where alone or r.version = $4`; // a single quote's row holds its answer, not its event

async function lookUp(pool: Pool, batch: readonly Waiting[]): Promise<void> {
  try {
    const values = [
      batch.map(({ organisationId }) => organisationId),
      batch.map(({ quotesId }) => quotesId),
      batch.map(({ alone }) => alone),
      versionOf("QuotesGenerated"),
    ];
    const { rows } = await pool.query<{ place: string; recorded: string }>(statement, values);
    const found = new Map(rows.map(({ place, recorded }) => [Number(place), recorded]));
    batch.forEach(({ resolve }, index) => {
      resolve(found.get(index + 1));
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

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

interface Found {
  readonly quotes: RecentQuotes;
  readonly size: number;
}

async function inTable(organisationId: string, place: QuotePlace, pool: Pool): Promise<Found | undefined> {
  const recorded = await quoteTableOf(pool)(organisationId, place);
  if (recorded === undefined) return undefined;
  return place.number === 0 ? alone(organisationId, recorded) : ofRequest(JSON.parse(recorded) as QuotesGenerated);
}

async function inStream(place: QuotePlace, eventStore: EventStore): Promise<Found | undefined> {
  const event = await readQuotes(eventStore, place);
  if (event?.type === "QuotesGenerated") return ofRequest(event.data);
  return event && alone(event.data.organisationId, JSON.stringify(event.data.response));
}

const alone = (organisationId: string, response: string): Found => ({
  quotes: { organisationId, answer: () => response },
  size: response.length,
});

/** The estimated length of one answer. For several customers each answer is made only when it is fetched. */
const charactersPerResult = 2_000;

function ofRequest(event: QuotesGenerated): Found {
  const { length } = event.results;
  const response = length === 1 ? JSON.stringify(answerOf(event)) : "";
  return { quotes: recentQuotes(event, response), size: Math.max(response.length, length * charactersPerResult) };
}
