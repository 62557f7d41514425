// The parts that pages are made of: panels, facts and pagers.
import type { Child } from "hono/jsx";
import { withQuery } from "../links.js";
import type { Visit } from "../pageDefinition.js";
import { groupDigits } from "./formats.js";
import { Link } from "./link.js";

interface PanelProps {
  /** Of the heading; a link may lead to it. */
  readonly id: string;
  readonly title: Child;
  readonly class?: string;
  readonly children: Child;
}

/** A part of a page under its own heading. */
export const Panel = ({ id, title, class: more, children }: PanelProps) => (
  <section class={more ? `panel ${more}` : "panel"} aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

export type Fact = readonly [label: Child, value: Child];

export const Facts = ({ facts, class: kind = "facts" }: { facts: readonly Fact[]; class?: "facts" | "figures" | "values" | "keys" }) => (
  <dl class={kind}>
    {facts.map(([label, value]) => (
      <div>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

export const PlainList = ({ items }: { items: readonly Child[] }) => (
  <ul class="plain-list">
    {items.map((item) => (
      <li>{item}</li>
    ))}
  </ul>
);

export const EmptyState = ({ title, children }: { title: string; children?: Child }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children === undefined ? null : <p>{children}</p>}
  </div>
);

/** A state in a word, on a colour that says whether it is good. */
export interface State {
  readonly label: string;
  readonly badge: "good" | "busy" | "warn" | "bad" | "";
}

export const Badge = ({ state: { label, badge } }: { state: State }) => <span class={`badge ${badge}`}>{label}</span>;

interface PagerProps {
  /** What the pages show, such as `imports`. */
  readonly of: string;
  /** Where this page begins; undefined for the first page. */
  readonly cursor: string | undefined;
  /** Where the next page begins; null on the last page. */
  readonly nextCursor: string | null;
  /** The path of the page that begins there. */
  readonly path: (cursor: string | undefined) => string;
  readonly range?: Range;
}

export interface Range {
  /** How many rows the pages before have. */
  readonly start: number;
  readonly shown: number;
  /** Of all pages, where it is known; `more` where counting ended there. */
  readonly total?: { readonly count: number; readonly more: boolean } | undefined;
}

/** `1 to 50 of 1,258 imports`, and the ways on. */
export function Pager({ of, cursor, nextCursor, path, range }: PagerProps) {
  const isAll = cursor === undefined && nextCursor === null;
  if (isAll && !range?.shown) return null;
  return (
    <nav class="pages" aria-label={`Pages of ${of}`}>
      {range ? <span class="range">{rangeWords(range, of, isAll)}</span> : null}
      {cursor === undefined ? null : <Link to={path(undefined)}>First page</Link>}
      {nextCursor === null ? null : (
        <Link to={path(nextCursor)} rel="next">
          Next page
        </Link>
      )}
    </nav>
  );
}

function rangeWords({ start, shown, total = { count: shown, more: true } }: Range, of: string, isAll: boolean): string {
  if (isAll) return `${groupDigits(shown)} ${of}`;
  const range = shown === 0 ? "None here" : `${groupDigits(start + 1)} to ${groupDigits(start + shown)}`;
  return total.count === shown && total.more ? range : `${range} of ${total.more ? "more than " : ""}${groupDigits(total.count)} ${of}`;
}

export type Names = readonly [one: string, many: string];

interface PageOptions {
  /** What the pages show: `zone`, `zones`. */
  readonly of: Names;
  readonly path: string;
  /** The parameter that says how many entries the pages before have. */
  readonly name?: string;
  readonly size?: number;
}

export const rowsPerPage = 50;

/** From a parameter of the address: how many rows the pages before have. */
export const rowsBefore = (text = ""): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0);

/** A page of a list in memory. */
export function pageInMemory<Row>(
  { query }: Visit,
  all: readonly Row[],
  { of, path, name = "from", size = rowsPerPage }: PageOptions,
): { readonly rows: readonly Row[]; readonly pager: Child } {
  const start = Math.min(rowsBefore(query[name]), Math.max(0, all.length - 1));
  const rows = all.slice(start, start + size);
  const pager = (
    <Pager
      of={of[all.length === 1 ? 0 : 1]}
      cursor={start === 0 ? undefined : "before"}
      nextCursor={start + size < all.length ? String(start + size) : null}
      path={(next) => withQuery(path, { [name]: next })}
      range={{ start, shown: rows.length, total: { count: all.length, more: false } }}
    />
  );
  return { rows, pager };
}
