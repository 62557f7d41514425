// The small parts that pages are made of: links, panels, facts, values and sentences, and pagers. Paths become addresses here and in forms, and
// nowhere before.
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

/** The parameters of an address; those without a value are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** The path may have a query already. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}

/** Ids hold any character. A browser takes `.` and `..` for folders, and `new` is a form that adds: these ids have a sign before them. */
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

/** Looks like a button, and leads to a page or to a file. */
export const ButtonLink = ({ to, label, quiet, ...rest }: LinkProps & { label: string; quiet?: boolean }) => (
  <a class={quiet ? "button quiet" : "button"} href={useVisit().links.to(to)} {...rest}>
    {label}
  </a>
);

/** A part of a page under its own heading, whose id a link may lead to. */
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

/** Says that there is nothing where a panel with a heading would stand. */
export const EmptyPanel = ({ label, title }: { label: string; title: string }) => (
  <section class="panel" aria-label={label}>
    <EmptyState title={title} />
  </section>
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
  readonly isFirst: boolean;
  /** Where the next page begins; null on the last page. */
  readonly nextCursor: string | null;
  /** The path of the page that begins at a cursor; that of the first page without one. */
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
export function Pager({ of, isFirst, nextCursor, path, range }: PagerProps) {
  const isAll = isFirst && nextCursor === null;
  if (isAll && !range?.shown) return null;
  return (
    <nav class="pages" aria-label={`Pages of ${of}`}>
      {range ? <span class="range">{rangeWords(range, of, isAll)}</span> : null}
      {isFirst ? null : <Link to={path(undefined)}>First page</Link>}
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
export const rowsBefore = (text = ""): number => (/^\d{1,7}$/.test(text) ? Number(text) : 0);

/** A page of a list in memory. */
export function pageInMemory<Row>({ query }: Visit, all: readonly Row[], { of, path, name = "from", size = rowsPerPage }: PageOptions) {
  const start = Math.min(rowsBefore(query[name]), Math.max(0, all.length - 1));
  const rows = all.slice(start, start + size);
  const pager = (
    <Pager
      of={of[all.length === 1 ? 0 : 1]}
      isFirst={start === 0}
      nextCursor={start + size < all.length ? String(start + size) : null}
      path={(next) => withQuery(path, { [name]: next })}
      range={{ start, shown: rows.length, total: { count: all.length, more: false } }}
    />
  );
  return { rows, pager };
}

/** A time in the organisation's zone; `exact`, with seconds, where the order of events matters. `title` and `datetime` have it in UTC. */
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

/** An exact decimal: `1,234.5`. `signed`: more or less than before, `+1,234.5`. */
export const Quantity = ({ text, signed }: { text: string; signed?: boolean | undefined }) => (
  <span class="amount">{`${signed && !text.startsWith("-") && /[1-9]/.test(text) ? "+" : ""}${groupDigits(text)}`}</span>
);

/** About half of a narrow column: a longer text has to break somewhere. */
const longestUnbroken = 32;

/** An id or a name that is read as one: it is not broken in two, unless it is too long for its column. */
export const Unbroken = ({ text }: { text: string }) => <span class={text.length > longestUnbroken ? "breaks" : "unbroken"}>{text}</span>;

/** A long id by its beginning; the button copies all of it. */
export const ShortId = ({ id, about }: { id: string; about: string }) => (
  <span class="short-id">
    <code title={id}>{id.length > 13 ? `${id.slice(0, 8)}...` : id}</code>
    <CopyButton text={id} label="Copy" about={about} />
  </span>
);

/** Hidden until the script that makes it work is there. */
export const CopyButton = ({ text, label, about }: { text: string; label: string; about?: string }) => (
  <button type="button" class="quiet copy" data-copy={text} aria-description={about}>
    {label}
  </button>
);

export const OnlyOnce = ({ title, text, copyLabel }: Secret) => (
  <section class="notice done only-once" aria-labelledby="only-once-title">
    <h2 id="only-once-title">{title}</h2>
    <div class="only-once-text">
      <code>{text}</code>
      <CopyButton text={text} label={copyLabel} />
    </div>
  </section>
);

/** With commas between them. */
export const withCommas = (parts: readonly Child[]): Child[] => parts.flatMap((part, index) => (index === 0 ? [part] : [", ", part]));

const importIds = new RegExp(`(?<=\\bimport )(${uuidPattern})`, "gi");

/** A sentence as the API says it. Where it names an import by its id, the id is short here and leads to the import. */
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
