import type { Location } from "../../domain/geography/geography.js";
import { quoteIdOf } from "../../events/quoteEvents.js";
import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type Page, type PageRequest, readPage, type TimeRange, timeScope } from "../page.js";

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

interface QuoteRow {
  readonly quotedAt: Date;
  readonly quotesId: string;
  readonly number: number;
  readonly customerId: string;
  readonly services: number;
  readonly cheapestService: string | null;
  readonly cheapestTotal: string | null;
  readonly noQuoteMessage: string;
  readonly origin: Location;
  readonly destination: Location;
}

/** Newest first. A new quote is listed when the projection has it. */
export function listQuotes(organisationId: string, filter: QuoteFilter, page: PageRequest, pool: Database): Promise<Page<ListedQuote>> {
  const { customerId, from, to } = filter;
  const scope = ["quotes", organisationId, customerId ?? "", ...timeScope(filter)];
  const fetch = async ([at, quotesId, number]: readonly string[] = [], count: number) =>
    (await pool.query<QuoteRow>(named(listSql, { organisationId, customerId, from, to, at, quotesId, number, count }))).rows;
  return readPage(page, scope, fetch, {
    placeOf: ({ quotedAt, quotesId, number }) => [quotedAt.toISOString(), quotesId, String(number)],
    itemOf: shown,
  });
}

const listSql = `
  select quoted.quoted_at as "quotedAt", quotes_id as "quotesId", number, customer_id as "customerId", services, cheapest_service as "cheapestService",
         cheapest_total as "cheapestTotal", no_quote_message as "noQuoteMessage", origin, destination
    from quotes quoted join quote_requests using (quotes_id)
   where quoted.organisation_id = :organisationId and (:customerId::text is null or customer_id = :customerId)
     and (:from::timestamptz is null or quoted.quoted_at >= :from) and (:to::timestamptz is null or quoted.quoted_at < :to)
     and (:at::timestamptz is null or (quoted.quoted_at, quotes_id, number) < (:at::timestamptz, :quotesId::uuid, :number::integer))
   order by quoted.quoted_at desc, quotes_id desc, number desc limit :count`;

function shown(row: QuoteRow): ListedQuote {
  const { cheapestService, cheapestTotal } = row;
  return {
    quoteId: quoteIdOf(row),
    customerId: row.customerId,
    generatedAt: row.quotedAt.toISOString(),
    origin: row.origin,
    destination: row.destination,
    serviceCount: row.services,
    cheapest: cheapestService === null ? null : { serviceName: cheapestService, totalAmount: Number(cheapestTotal) },
    noQuoteMessage: row.noQuoteMessage,
  };
}
