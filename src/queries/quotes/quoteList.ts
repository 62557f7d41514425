import type { Pool } from "pg";
import type { Location } from "../../domain/geography/geography.js";
import { quoteAnswerOf } from "../../events/quoteAnswer.js";
import { type QuotePlace, type QuotesGenerated, quoteIdOf, quotePlaceOf } from "../../events/quoteEvents.js";
import { readQuotes } from "../../events/recordedQuote.js";
import { versionOf } from "../../events/upcasters.js";
import { bindNames } from "../../namedSql.js";
import type { Database, Stores } from "../../ports/database.js";
import { type PageRequest, type RowPage, readPage, type TimeRange, timeScope } from "../rowPage.js";

export interface QuoteFilter extends TimeRange {
  readonly customerId?: string | undefined;
}

export interface ListedQuote {
  readonly quoteId: string;
  readonly customerId: string;
  readonly generatedAt: string;
  readonly origin: Location;
  readonly destination: Location;
  readonly serviceCount: number;
  readonly cheapest: { readonly serviceName: string; readonly totalAmount: number } | null;
  readonly noQuoteMessage: string;
}

interface QuoteRow extends Omit<ListedQuote, "quoteId" | "generatedAt" | "cheapest"> {
  readonly quotedAt: Date;
  readonly quotesId: string;
  readonly number: number;
  readonly cheapestService: string | null;
  readonly cheapestTotal: string | null;
}

/** One page of quotes, newest first. A new quote is missing until the projection has it. */
export function listQuotes(organisationId: string, filter: QuoteFilter, page: PageRequest, pool: Database): Promise<RowPage<ListedQuote>> {
  const { customerId, from, to } = filter;
  const scope = ["quotes", organisationId, customerId ?? "", ...timeScope(filter)];
  const fetch = async ([at, quotesId, number]: readonly string[] = [], count: number) =>
    (await pool.query<QuoteRow>(bindNames(listSql, { organisationId, customerId, from, to, at, quotesId, number, count }))).rows;
  return readPage(page, scope, fetch, {
    cursorValues: ({ quotedAt, quotesId, number }) => [quotedAt.toISOString(), quotesId, String(number)],
    itemOf: listedQuote,
  });
}

const listSql = `
  select quoted.quoted_at as "quotedAt", quotes_id as "quotesId", number, customer_id as "customerId", services as "serviceCount", cheapest_service as "cheapestService",
         cheapest_total as "cheapestTotal", no_quote_message as "noQuoteMessage", origin, destination
    from quotes quoted join quote_requests using (quotes_id)
   where quoted.organisation_id = :organisationId and (:customerId::text is null or customer_id = :customerId)
     and (:from::timestamptz is null or quoted.quoted_at >= :from) and (:to::timestamptz is null or quoted.quoted_at < :to)
     and (:at::timestamptz is null or (quoted.quoted_at, quotes_id, number) < (:at::timestamptz, :quotesId::uuid, :number::integer))
   order by quoted.quoted_at desc, quotes_id desc, number desc limit :count`;

const listedQuote = ({ quotedAt, quotesId, number, cheapestService, cheapestTotal, ...row }: QuoteRow): ListedQuote => ({
  quoteId: quoteIdOf({ quotesId, number }),
  generatedAt: quotedAt.toISOString(),
  ...row,
  cheapest: cheapestService === null ? null : { serviceName: cheapestService, totalAmount: Number(cheapestTotal) },
});

/** The contract's response as JSON. Undefined for an unknown quote, another organisation's quote, and text that is not a quote id. */
export async function findQuote(organisationId: string, quoteId: string, { pool, eventStore }: Stores): Promise<string | undefined> {
  const place = quotePlaceOf(quoteId);
  if (place === undefined) return undefined;
  // The stream is read if the table does not have the quote yet, or has it as an earlier version recorded it.
  const answer = await answerInTable(organisationId, place, pool);
  const event = answer === undefined ? await readQuotes(eventStore, place) : undefined;
  if (event?.data.organisationId !== organisationId) return answer;
  return JSON.stringify(event.type === "QuotesGenerated" ? quoteAnswerOf(event.data, place.number) : event.data.response);
}

/** For a quote with a stream of its own the table has the answer, otherwise the event. Ignores events of an earlier version. */
async function answerInTable(organisationId: string, { quotesId, number }: QuotePlace, pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ recorded: string }>(
    "select recorded from quote_requests where organisation_id = $1 and quotes_id = $2 and alone = $3 and (alone or version = $4)",
    [organisationId, quotesId, number === 0, versionOf("QuotesGenerated")],
  );
  const recorded = rows[0]?.recorded;
  return recorded === undefined || number === 0 ? recorded : JSON.stringify(quoteAnswerOf(JSON.parse(recorded) as QuotesGenerated, number));
}
