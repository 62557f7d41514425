import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { Pool } from "pg";
import type { Location } from "../../domain/geography/geography.js";
import { quoteIdOf } from "../../events/quoteEvents.js";
import { quoteRequests, quotes } from "../../projections/tables/quotes.js";
import { databaseOf } from "../database.js";
import { type Page, type PageRequest, readPage } from "../page.js";

export interface QuoteFilter {
  readonly customerId?: string | undefined;
  /** Included. */
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
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

type QuoteRow = typeof quotes.$inferSelect & { readonly origin: unknown; readonly destination: unknown };

/** Newest first. A new quote is listed when the projection has it. */
export function listQuotes(organisationId: string, filter: QuoteFilter, page: PageRequest, pool: Pool): Promise<Page<ListedQuote>> {
  const { customerId, from, to } = filter;
  const scope = ["quotes", organisationId, customerId ?? "", from?.toISOString() ?? "", to?.toISOString() ?? ""];
  return readPage(page, scope, (after, count) => rowsBehind(organisationId, filter, after, count, pool), {
    placeOf: ({ quotedAt, quotesId, number }) => [quotedAt.toISOString(), quotesId, String(number)],
    itemOf: shown,
  });
}

async function rowsBehind(
  organisationId: string,
  { customerId, from, to }: QuoteFilter,
  after: readonly string[] | undefined,
  count: number,
  pool: Pool,
): Promise<QuoteRow[]> {
  const [at, quotesId, number] = after ?? [];
  const rows = await databaseOf(pool)
    .select({ row: quotes, origin: quoteRequests.origin, destination: quoteRequests.destination })
    .from(quotes)
    .innerJoin(quoteRequests, eq(quoteRequests.quotesId, quotes.quotesId))
    .where(
      and(
        eq(quotes.organisationId, organisationId),
        customerId === undefined ? undefined : eq(quotes.customerId, customerId),
        from && gte(quotes.quotedAt, from),
        to && lt(quotes.quotedAt, to),
        at === undefined
          ? undefined
          : sql`(${quotes.quotedAt}, ${quotes.quotesId}, ${quotes.number}) < (${at}::timestamptz, ${quotesId}::uuid, ${number}::integer)`,
      ),
    )
    .orderBy(desc(quotes.quotedAt), desc(quotes.quotesId), desc(quotes.number))
    .limit(count);
  return rows.map(({ row, ...places }) => ({ ...row, ...places }));
}

function shown(row: QuoteRow): ListedQuote {
  const { cheapestService, cheapestTotal } = row;
  return {
    quoteId: quoteIdOf(row),
    customerId: row.customerId,
    generatedAt: row.quotedAt.toISOString(),
    origin: row.origin as Location,
    destination: row.destination as Location,
    serviceCount: row.services,
    cheapest: cheapestService === null ? null : { serviceName: cheapestService, totalAmount: Number(cheapestTotal) },
    noQuoteMessage: row.noQuoteMessage,
  };
}
