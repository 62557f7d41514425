import { type CursorScope, readCursor, writeCursor } from "./cursor.js";

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Signs cursors. */
  readonly secret: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

interface PageRows<Row, Item> {
  placeOf(row: Row): readonly string[];
  itemOf(row: Row): Item;
  /** For a list whose `fetch` may return fewer rows than asked: whether more rows follow the last one. */
  goesOn?(last: Row): boolean;
}

/** `fetch` is asked for one row more than the page shows; if it returns fewer, this is the last page. */
export async function readPage<Row, Item>(
  request: PageRequest,
  scope: CursorScope,
  fetch: (after: readonly string[] | undefined, count: number) => Promise<readonly Row[]>,
  { placeOf, itemOf, goesOn }: PageRows<Row, Item>,
): Promise<Page<Item>> {
  const after = request.cursor === undefined ? undefined : readCursor(request.secret, scope, request.cursor);
  const rows = await fetch(after, request.limit + 1);
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const more = last !== undefined && (rows.length > shown.length || goesOn?.(last) === true);
  const nextCursor = more ? writeCursor(request.secret, scope, placeOf(last)) : null;
  return { items: shown.map(itemOf), nextCursor };
}
