import type { CallOptions, Send } from "./transport.js";

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Every item of a list, page by page: the next page is asked for when the items before it are used up. */
export async function* pages<Item>(
  send: Send,
  path: string,
  query: object = {},
  { signal }: CallOptions = {},
): AsyncGenerator<Item, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Item> = await send({
      ...{ method: "GET", path, query: { ...query, ...(cursor === undefined ? {} : { cursor }) } },
      ...(signal === undefined ? {} : { signal }),
    });
    yield* page.items;
    cursor = page.nextCursor;
  }
}
