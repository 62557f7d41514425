// The rows that the tables should have for one recorded event, and the rows that they have.
import type { PoolClient } from "pg";
import { answerOf, type QuoteAnswer } from "../../events/quoteAnswer.js";
import { type QuoteEvent, singleQuoteAnswer } from "../../events/recordedQuote.js";
import { canonical } from "../canonical.js";
import { readRows } from "../snapshot.js";

export interface QuoteRows {
  readonly quotesId: string;
  readonly organisationId: string;
  readonly columns: Readonly<Record<string, unknown>>;
  /** Per row of the quotes table: number, customer, services, cheapest service and total, message. */
  readonly list: readonly (readonly unknown[])[];
}

/** Undefined when the event has no answer. */
export function expectedRows({ type, data }: QuoteEvent): QuoteRows | undefined {
  const alone = type === "QuoteGenerated";
  const answer = alone ? singleQuoteAnswer(data) : answerOf(data);
  if (!answer) return undefined;
  return {
    quotesId: alone ? data.quoteId : data.quotesId,
    organisationId: data.organisationId,
    columns: {
      alone,
      quoted_at: new Date(data.at).toISOString(),
      origin: answer.origin,
      destination: answer.destination,
      recorded: alone ? data.response : data,
    },
    list: answer.results.map((result, index) => [alone ? 0 : index + 1, alone ? data.customerId : result.customerId, ...summary(result)]),
  };
}

function summary({ quotes, noQuoteMessage }: QuoteAnswer["results"][number]): unknown[] {
  const [cheapest] = quotes;
  return [quotes.length, cheapest?.serviceName ?? null, cheapest?.totalAmount ?? null, noQuoteMessage];
}

const listed = `select jsonb_agg(jsonb_build_array(number, customer_id, services, cheapest_service, cheapest_total, no_quote_message) order by number)
                  from quotes q where (q.organisation_id, q.quoted_at, q.quotes_id) = (r.organisation_id, r.quoted_at, r.quotes_id)`;

export async function* storedRows(client: PoolClient, organisationId: string | undefined): AsyncGenerator<QuoteRows> {
  const query = `select quotes_id, organisation_id, alone, quoted_at, origin, destination, recorded, coalesce((${listed}), '[]')
                   from quote_requests r where $1::text is null or organisation_id = $1`;
  for await (const row of readRows(client, query, [organisationId ?? null])) {
    const [quotesId, owner, alone, quotedAt, origin, destination, recorded, list] = row as [string, string, ...unknown[]];
    const columns = { alone, quoted_at: (quotedAt as Date).toISOString(), origin, destination, recorded: parsed(String(recorded)) };
    yield { quotesId, organisationId: owner, columns, list: list as unknown[][] };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Rows of the quotes table that belong to no request. */
export async function strayRows(
  client: PoolClient,
  organisationId: string | undefined,
): Promise<{ organisationId: string; quotesId: string }[]> {
  const { rows } = await client.query<{ organisationId: string; quotesId: string }>(
    `select distinct organisation_id as "organisationId", quotes_id as "quotesId" from quotes q
      where ($1::text is null or organisation_id = $1) and not exists (
        select from quote_requests r where (q.organisation_id, q.quoted_at, q.quotes_id) = (r.organisation_id, r.quoted_at, r.quotes_id))`,
    [organisationId ?? null],
  );
  return rows;
}

export const rowsText = ({ organisationId, columns, list }: QuoteRows): string => canonical([organisationId, columns, list]);
