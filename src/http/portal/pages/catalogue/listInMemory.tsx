// Lists that are in memory: a search, and pages by their place in the list.
import type { Child } from "hono/jsx";
import type { Query } from "../../links.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { Pager } from "../../shell/panel.js";

const longestSearch = 100;

/** What was typed into the search of a page. */
export const searchIn = ({ query }: SignedInVisit, name = "search"): string => query[name]?.trim().slice(0, longestSearch) ?? "";

/** Whether every word of the search stands in the text, in any letter case. */
export function matchesSearch(search: string, text: string): boolean {
  const within = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

interface PartOptions {
  /** What the pages show, such as `zones`. */
  readonly of: string;
  readonly path: string;
  readonly query?: Query;
  /** The parameter that says how many entries the pages before have. */
  readonly name?: string;
  readonly size?: number;
}

/** A page of a list that stands on a page among others. */
export function pageInMemory<Row>(
  { query: given, links }: SignedInVisit,
  all: readonly Row[],
  { of, path, query = {}, name = "from", size = 50 }: PartOptions,
): { readonly rows: readonly Row[]; readonly pager: Child } {
  const start = /^\d{1,7}$/.test(given[name] ?? "") ? Number(given[name]) : 0;
  const rows = all.slice(start, start + size);
  return {
    rows,
    pager: (
      <Pager
        of={of}
        cursor={start === 0 ? undefined : "before"}
        nextCursor={start + size < all.length ? String(start + size) : null}
        address={(next) => links.to(path, { ...query, [name]: next })}
        range={{ start, shown: rows.length, total: { count: all.length, more: false } }}
      />
    ),
  };
}
