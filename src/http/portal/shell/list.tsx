// What every list of the portal has: a form that filters it, and links to its pages.
import type { Child } from "hono/jsx";
import type { Links, Query } from "../links.js";
import { HiddenFields } from "./form.js";

interface FilterFormProps {
  readonly visit: { readonly links: Links };
  readonly path: string;
  /** What the button says. */
  readonly submit?: string;
  /** For a form that is not the page's main one. */
  readonly quiet?: boolean;
  /** Parameters that the form leaves as they are. */
  readonly kept?: Query;
  /** The address without the filter; absent where nothing is filtered. */
  readonly all?: string | undefined;
  readonly allLabel?: string;
  readonly children: Child;
  /** What stands behind the button. */
  readonly after?: Child;
}

export function FilterForm(props: FilterFormProps) {
  const { visit, path, submit = "Filter", quiet, kept = {}, all, allLabel = "Show all", children, after } = props;
  return (
    <form method="get" action={visit.links.to(path)} class="in-line filters">
      <HiddenFields values={kept} />
      {children}
      <button type="submit" class={quiet ? "quiet" : undefined}>
        {submit}
      </button>
      {all === undefined ? null : (
        <a class="button quiet" href={all}>
          {allLabel}
        </a>
      )}
      {after}
    </form>
  );
}

interface PagerProps {
  /** What the pages show, such as `imports`. */
  readonly of: string;
  /** Where this page begins; undefined for the first page. */
  readonly cursor: string | undefined;
  /** Where the next page begins; null on the last page. */
  readonly nextCursor: string | null;
  /** The address of the page that begins there. */
  readonly address: (cursor: string | undefined) => string;
}

export function Pager({ of, cursor, nextCursor, address }: PagerProps) {
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <nav class="pages" aria-label={`Pages of ${of}`}>
      {cursor === undefined ? null : <a href={address(undefined)}>First page</a>}
      {nextCursor === null ? null : (
        <a href={address(nextCursor)} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
