// Lists that are in memory: a search, and pages by their place in the list.
import type { Child } from "hono/jsx";
import type { SignedInVisit } from "../../page.js";
import { Pager } from "../../shell/panel.js";

const longestSearch = 100;

/** What was typed into the search of a page. */
export const searchIn = ({ query }: SignedInVisit, name = "search"): string => query[name]?.trim().slice(0, longestSearch) ?? "";

/** Whether every word of the search stands in the text, in any letter case. */
export function matches(search: string, text: string): boolean {
  const within = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

/** A page of a list; the address says at which place it begins. */
export function partOf<Row>(
  visit: SignedInVisit,
  all: readonly Row[],
  of: string,
  address: (from: string | undefined) => string,
  { name = "from", size = 50 } = {},
): { readonly rows: readonly Row[]; readonly pager: Child } {
  const given = visit.query[name] ?? "";
  const from = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  const next = from + size;
  return {
    rows: all.slice(from, next),
    pager: (
      <Pager
        of={of}
        cursor={from === 0 ? undefined : String(from)}
        nextCursor={next < all.length ? String(next) : null}
        address={(cursor) => visit.links.to(address(cursor))}
      />
    ),
  };
}
