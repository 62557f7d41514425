// The small parts that pages are made of: links, panels, facts, values, sentences and pagers. They take paths of the portal, such as
// `/portal/imports`, and turn them into addresses by putting the path of PUBLIC_URL before them.
import { type Child, createContext, useContext } from "hono/jsx";
import { uuidPattern } from "../../../domain/uuid.js";
import type { Secret, Visit } from "../pageDefinition.js";
import { groupDigits, timeInWords } from "./formats.js";

/** The visit for which a page is rendered. */
export const VisitContext = createContext<Visit | undefined>(undefined);

export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (!visit) throw new Error("a part of a page was rendered without its page");
  return visit;
}

/** The parameters of an address. Empty and undefined ones are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Adds parameters to a path, which may have a query already. */
export function withQuery(path: string, query: Query): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return entries.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(entries)}`;
}

/** Encodes an id for a path. Browsers resolve `.` and `..`, and `new` is the path of a form, so these ids get a `~` before them. */
export const idInPath = (id: string): string => `${/^(?:\.{1,2}$|new$|~)/.test(id) ? "~" : ""}${encodeURIComponent(id.toWellFormed())}`;

export const idFromPath = (part = ""): string => part.replace(/^~/, "");

interface LinkProps {
  /** A path of the portal. */
  readonly to: string;
  readonly [attribute: string]: unknown;
}

export const Link = ({ to, children, ...rest }: LinkProps & { children: Child }) => (
  <a href={useVisit().links.to(to)} {...rest}>
    {children}
  </a>
);

/** A link to a page or a file that looks like a button. */
export const ButtonLink = ({ to, label, quiet, ...rest }: LinkProps & { label: string; quiet?: boolean }) => (
  <a class={quiet ? "button quiet" : "button"} href={useVisit().links.to(to)} {...rest}>
    {label}
  </a>
);

/** A section of a page with a heading. `id` is the heading's, for links to the section. */
export const Panel = ({ id, title, class: more, children }: { id: string; title: Child; class?: string; children: Child }) => (
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

export const PlainList = ({ items, class: kind = "plain-list" }: { items: readonly Child[]; class?: string }) => (
  <ul class={kind || undefined}>
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

/** Takes the place of a panel that has nothing to show. */
export const EmptyPanel = ({ label, title }: { label: string; title: string }) => (
  <section class="panel" aria-label={label}>
    <EmptyState title={title} />
  </section>
);

/** A state as a word, and the name of its badge's colour; empty for a neutral one. */
export interface State {
  readonly label: string;
  readonly badge: "good" | "busy" | "warn" | "bad" | "";
}

export const Badge = ({ state: { label, badge } }: { state: State }) => <span class={`badge ${badge}`}>{label}</span>;

interface PagerProps {
  /** What the pages list, such as `imports`. */
  readonly plural: string;
  readonly isFirst: boolean;
  /** The cursor at which the next page begins; null on the last page. */
  readonly nextCursor: string | null;
  /** Returns the path of the page that begins at a cursor, or of the first page. */
  readonly path: (cursor: string | undefined) => string;
  readonly range?: PageRange;
}

export interface PageRange {
  /** How many rows the earlier pages have. */
  readonly start: number;
  readonly shown: number;
  /** How many rows all pages have, if known. `more`: counting stopped at this number. */
  readonly total?: { readonly count: number; readonly more: boolean } | undefined;
}

/** `1 to 50 of 1,258 imports`, with links to the first and the next page. */
export function Pager({ plural, isFirst, nextCursor, path, range }: PagerProps) {
  const isAll = isFirst && nextCursor === null;
  if (isAll && !range?.shown) return null;
  return (
    <nav class="pages" aria-label={`Pages of ${plural}`}>
      {range ? <span class="range">{rangeInWords(range, plural, isAll)}</span> : null}
      {isFirst ? null : <Link to={path(undefined)}>First page</Link>}
      {nextCursor === null ? null : (
        <Link to={path(nextCursor)} rel="next">
          Next page
        </Link>
      )}
    </nav>
  );
}

function rangeInWords({ start, shown, total = { count: shown, more: true } }: PageRange, plural: string, isAll: boolean): string {
  if (isAll) return `${groupDigits(shown)} ${plural}`;
  const range = shown === 0 ? "None here" : `${groupDigits(start + 1)} to ${groupDigits(start + shown)}`;
  return total.count === shown && total.more ? range : `${range} of ${total.more ? "more than " : ""}${groupDigits(total.count)} ${plural}`;
}

export type Noun = readonly [singular: string, plural: string];

interface PageOptions {
  /** What one row is called, and several: `zone`, `zones`. */
  readonly noun: Noun;
  readonly path: string;
  /** The address's parameter that says how many rows the earlier pages have. Defaults to `from`. */
  readonly name?: string;
  readonly size?: number;
}

export const rowsPerPage = 50;

/** Reads how many rows the earlier pages have from a parameter of the address. */
export const parseOffset = (text = ""): number => (/^\d{1,7}$/.test(text) ? Number(text) : 0);

/** Returns one page of a list in memory, with its pager. */
export function pageInMemory<Row>({ query }: Visit, all: readonly Row[], { noun, path, name = "from", size = rowsPerPage }: PageOptions) {
  const start = Math.min(parseOffset(query[name]), Math.max(0, all.length - 1));
  const rows = all.slice(start, start + size);
  const pager = (
    <Pager
      plural={noun[all.length === 1 ? 0 : 1]}
      isFirst={start === 0}
      nextCursor={start + size < all.length ? String(start + size) : null}
      path={(next) => withQuery(path, { [name]: next })}
      range={{ start, shown: rows.length, total: { count: all.length, more: false } }}
    />
  );
  return { rows, pager };
}

/** A time in the organisation's zone, and in UTC as a tooltip. `exact` adds the seconds, for lists in which the order of events matters. */
export function Time({ at, otherwise = "-", exact }: { at: Date | null | undefined; otherwise?: string; exact?: boolean }) {
  if (!at) return <span class="muted">{otherwise}</span>;
  const iso = at.toISOString();
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`}>
      {timeInWords(at, useVisit().person?.timezone ?? "UTC", exact)}
    </time>
  );
}

export const Amount = ({ value }: { value: number }) => <span class="amount">{groupDigits(value)}</span>;

/** An exact decimal, such as `1,234.5`. `isDifference` adds the sign of a difference: `+1,234.5`. */
export const Quantity = ({ text, isDifference }: { text: string; isDifference?: boolean | undefined }) => (
  <span class="amount">{`${isDifference && !text.startsWith("-") && /[1-9]/.test(text) ? "+" : ""}${groupDigits(text)}`}</span>
);

/** Longer texts do not fit into a narrow column without a line break. */
const maxUnbrokenLength = 32;

/** An id or a name that is not broken at the end of a line, unless it is too long for its column. */
export const Unbroken = ({ text }: { text: string }) => <span class={text.length > maxUnbrokenLength ? "breaks" : "unbroken"}>{text}</span>;

/** The beginning of a long id, with a button that copies all of it. */
export const ShortId = ({ id, about }: { id: string; about: string }) => (
  <span class="short-id">
    <code title={id}>{id.length > 13 ? `${id.slice(0, 8)}...` : id}</code>
    <CopyButton text={id} label="Copy" about={about} />
  </span>
);

/** A button that copies a text. It is hidden in browsers without scripts. */
export const CopyButton = ({ text, label, about }: { text: string; label: string; about?: string }) => (
  <button type="button" class="quiet copy" data-copy={text} aria-description={about}>
    {label}
  </button>
);

export const OneTimeSecret = ({ title, text, copyLabel }: Secret) => (
  <section class="notice done only-once" aria-labelledby="only-once-title">
    <h2 id="only-once-title">{title}</h2>
    <div class="only-once-text">
      <code>{text}</code>
      <CopyButton text={text} label={copyLabel} />
    </div>
  </section>
);

export const withCommas = (parts: readonly Child[]): Child[] => parts.flatMap((part, index) => (index === 0 ? [part] : [", ", part]));

const importIds = new RegExp(`(?<=\\bimport )(${uuidPattern})`, "gi");

/** A sentence of the API. An import's id in it is shortened and links to the import. */
export const Sentence = ({ text }: { text: string }) => (
  <>
    {text.split(importIds).map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <Link to={`/portal/imports/${part}`} title={part}>
          {part.slice(0, 8)}...
        </Link>
      ),
    )}
  </>
);
