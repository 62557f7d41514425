// The parts that pages are made of: panels, facts, tables, and the filters and pagers of lists.
import type { Child } from "hono/jsx";
import type { Links, Query } from "../links.js";
import { Button, ButtonLink, HiddenFields } from "./form.js";

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

export type Fact = readonly [label: string, value: Child];

export const Facts = ({ facts, class: kind = "facts" }: { facts: readonly Fact[]; class?: "facts" | "figures" | "values" }) => (
  <dl class={kind}>
    {facts.map(([label, value]) => (
      <div>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

export const EmptyState = ({ title, children }: { title: string; children?: Child }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children === undefined ? null : <p>{children}</p>}
  </div>
);

/** A state in a word, on a colour that says whether it is good. */
export const Badge = ({ state: { label, badge } }: { state: { readonly label: string; readonly badge: string } }) => (
  <span class={`badge ${badge}`}>{label}</span>
);

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
      <Button class={quiet ? "quiet" : undefined} label={submit} />
      {all === undefined ? null : <ButtonLink to={all} label={allLabel} quiet />}
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

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => Child;
  /** Numbers stand to the right, one digit under the other. */
  readonly number?: boolean;
  /** The column that names its row. */
  readonly names?: boolean;
}

interface TableProps<Row> {
  /** Said by a screen reader before the table. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown instead of a table without rows. */
  readonly empty?: Child;
  readonly muted?: ((row: Row) => boolean) | undefined;
  /** Attributes of a row that a script finds again, such as its id. */
  readonly marks?: ((row: Row) => Readonly<Record<string, string>>) | undefined;
}

/** On a narrow screen each row is a small list of its own: every cell repeats its heading (data-label). */
export function Table<Row>({ caption, columns, rows, empty, muted, marks }: TableProps<Row>) {
  if (empty && rows.length === 0) return <>{empty}</>;
  return (
    <table class="rows">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ heading, number }) => (
            <th scope="col" class={number ? "number" : undefined}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <TableRow columns={columns} row={row} muted={muted} marks={marks} />
        ))}
      </tbody>
    </table>
  );
}

/** One row, also by itself where only that row has changed. */
export function TableRow<Row>({ columns, row, muted, marks }: Pick<TableProps<Row>, "columns" | "muted" | "marks"> & { row: Row }) {
  return (
    <tr class={muted?.(row) ? "muted-row" : undefined} {...marks?.(row)}>
      {columns.map(({ heading, cell, number, names }) =>
        names ? (
          <th scope="row" data-label={heading}>
            {cell(row)}
          </th>
        ) : (
          <td data-label={heading} class={number ? "number" : undefined}>
            {cell(row)}
          </td>
        ),
      )}
    </tr>
  );
}
