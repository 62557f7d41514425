// Look-ups in the quotes' table. Requests that arrive while a query runs share the next one: a query for twenty quotes costs little more than
// one for a single quote.
import type { Pool } from "pg";
import type { QuotePlace } from "../../events/quoteEvents.js";
import { versionOf } from "../../events/upcasters.js";

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
  select asked.place, r.recorded
    from unnest($1::text[], $2::uuid[], $3::boolean[]) with ordinality as asked (organisation_id, quotes_id, alone, place)
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
