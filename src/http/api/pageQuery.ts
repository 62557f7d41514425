import { z } from "zod";
import type { Page, PageRequest } from "../../queries/page.js";
import type { ApiDeps } from "./deps.js";

const wholeNumber = /^[0-9]{1,6}$/;
const range = "must be a whole number from 1 to 500";

/** The query parameters of every paged list. */
export const pageQuery = z.object({
  cursor: z.string().max(4_000).optional().describe("The nextCursor of the previous page; omitted for the first page"),
  limit: z
    .preprocess((text) => (wholeNumber.test(String(text)) ? Number(text) : text), z.int(range).min(1, range).max(500, range))
    .default(100)
    .describe("1 to 500, 100 if omitted"),
});

export const pageRequest = ({ cursor, limit }: z.output<typeof pageQuery>, { signingSecret }: ApiDeps): PageRequest => ({
  cursor,
  limit,
  secret: signingSecret,
});

export const pageSchema = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .object({
      items: z.array(item).describe("At most as many as the limit"),
      nextCursor: z.string().nullable().describe("For the next page; null on the last page"),
    })
    .meta({ id });

/** Converts the items of a page into those of the answer. */
export async function answerPage<Row>(page: Promise<Page<Row>>, itemOf: (row: Row) => unknown = (row) => row) {
  const { items, nextCursor } = await page;
  return { status: 200, body: { items: await Promise.all(items.map(itemOf)), nextCursor } };
}
