import { z } from "zod";
import { dateAt, endOfDay, hasZone, instantOf, isDay, isTimestamp } from "../../domain/imports/timestamp.js";
import { Rejection } from "../../domain/rejection.js";
import type { Database } from "../../ports/database.js";
import { timezoneOf } from "../../queries/organisations/organisations.js";
import type { PageRequest, RowPage, TimeRange } from "../../queries/rowPage.js";
import type { ApiDeps } from "./deps.js";
import { answerObject } from "./document/schemas.js";

const wholeNumber = /^[0-9]{1,6}$/;
const limitMessage = "must be a whole number from 1 to 500";

/** The query parameters of every paged list. */
export const pageQuery = z.object({
  cursor: z.string().max(4_000).optional().describe("The nextCursor of the previous page; omitted for the first page"),
  limit: z
    .preprocess(
      (text) => (wholeNumber.test(String(text)) ? Number(text) : text),
      z.int(limitMessage).min(1, limitMessage).max(500, limitMessage),
    )
    .default(100)
    .describe("1 to 500, 100 if omitted"),
});

export const pageRequest = ({ cursor, limit }: z.output<typeof pageQuery>, { signingSecret }: ApiDeps): PageRequest => ({
  cursor,
  limit,
  secret: signingSecret,
});

export const pageSchema = <Item extends z.ZodType>(item: Item, id: string) =>
  answerObject(id, {
    items: z.array(item).describe("At most as many as the limit"),
    nextCursor: z.string().nullable().describe("For the next page; null on the last page"),
  });

/** Answers 200 with a page, whose items `itemOf` converts to those of the answer. */
export async function answerPage<Row>(page: Promise<RowPage<Row>>, itemOf: (row: Row) => unknown = (row) => row) {
  const { items, nextCursor } = await page;
  return { status: 200, body: { items: await Promise.all(items.map(itemOf)), nextCursor } };
}

const timeMessage = "must be an ISO 8601 time or day, such as 2026-03-01T09:30:00Z or 2026-03-01";

const timeFormats =
  "ISO 8601, from 1900 on; without a zone in the organisation's time zone. A day such as 2026-03-31 is the whole day, also as `to`";

/** The schema of a query parameter that is a time or a day. */
export const timeParameter = (description: string) =>
  z
    .string()
    .refine(isTimestamp, timeMessage)
    .optional()
    .meta({ description: `${description}. ${timeFormats}`, pattern: "^\\d{4}-\\d{2}-\\d{2}" });

/** Reads a range from two time parameters, which may be missing. Looks up the organisation's time zone only if a time has no zone. */
export async function timeRange(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  organisationId: string,
  pool: Database,
): Promise<TimeRange> {
  const needsZone = [from, to].some((text) => text !== undefined && !hasZone(text));
  const timezone = needsZone ? await timezoneOf(organisationId, pool) : "UTC";
  const dateOf = (text: string | undefined, parse: typeof instantOf) =>
    text === undefined ? undefined : dateAt(parse(text, timezone) ?? Number.NaN);
  const toIsDay = to !== undefined && isDay(to);
  const range = { from: dateOf(from, instantOf), to: dateOf(to, toIsDay ? endOfDay : instantOf) };
  const orderMessage = "from must not be after to";
  const isWrongOrder = range.from && range.to && (toIsDay ? range.from >= range.to : range.from > range.to);
  if (isWrongOrder) throw new Rejection("invalid", orderMessage, [orderMessage]);
  return range;
}
