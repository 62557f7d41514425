// A table is its columns, written once for a subject: they give the page's table and the CSV, XLSX and JSON of the same rows.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../domain/groupedBy.js";
import { compareValues, fractionOf, inFile, inWords, type Value } from "./formats.js";
import { Badge, Link, type State, Time } from "./parts.js";

/** A column of a page's table. */
export interface Column<Row> {
  readonly heading: string;
  /** What it holds. Absent where it holds nothing but buttons. */
  readonly value?: (row: Row) => Value;
  /** How a page shows it, where that is more than the value in words. */
  readonly cell?: (row: Row, isRepeated: boolean) => Child;
  /** The path that it leads to. */
  readonly link?: (row: Row) => string | undefined;
  /** In JSON, and in the address of a sorted page. A column without a key is on pages only. */
  readonly key?: string;
  /** Numbers stand to the right, one digit under the other. */
  readonly number?: boolean;
  /** The column that names its row. */
  readonly names?: boolean;
  /** Not on the page. */
  readonly onlyInFiles?: boolean;
  /** Seen in the first row of a group only; screen readers say it in each. */
  readonly once?: boolean;
}

/** Columns that only files have. */
export const fileColumns = <Row,>(columns: readonly (readonly [key: string, heading: string, value: (row: Row) => Value])[]) =>
  columns.map(([key, heading, value]): Column<Row> => ({ key, heading, value, onlyInFiles: true }));

/** The buttons of each row. */
export const actionColumn = <Row,>(buttons: (row: Row) => Child): Column<Row> => ({
  heading: "Action",
  number: true,
  cell: (row) => <div class="actions">{buttons(row)}</div>,
});

type OnPages<Row> = Omit<Column<Row>, "key" | "heading" | "value">;

/** A column that is sorted by, and that files have. */
export type DataColumn<Row> = Column<Row> & Required<Pick<Column<Row>, "key" | "value">>;

/** A column with a value, for pages and files. */
export const column = <Row,>(key: string, heading: string, value: (row: Row) => Value, more: OnPages<Row> = {}): DataColumn<Row> => ({
  key,
  heading,
  value,
  ...more,
});

/** A column that shows a state. */
export const stateColumn = <Row,>(key: string, heading: string, stateOf: (row: Row) => State): DataColumn<Row> =>
  column(key, heading, (row) => stateOf(row).label, { cell: (row) => <Badge state={stateOf(row)} /> });

export const isData = <Row,>(column: Column<Row>): column is DataColumn<Row> => column.key !== undefined && column.value !== undefined;

/** Rows as CSV and XLSX have them. */
export const cellsInFile = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[], timezone: string) =>
  rows.map((row) => columns.filter(isData).map(({ value }) => inFile(value(row), timezone)));

/** Such as `-rows`: by rows, the most first. */
export interface Sorting {
  readonly by: string;
  /** The path of the page sorted so; `undefined` is the list's own order. */
  readonly path: (by: string | undefined) => string;
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
  /** Headings lead to the page sorted by them. */
  readonly sorting?: Sorting | undefined;
  readonly class?: string;
  /** Rows that have this in common stand together. */
  readonly groupBy?: (row: Row) => unknown;
  /** A row behind those of a group. */
  readonly after?: (group: readonly Row[]) => Child;
  readonly foot?: Child;
  /** Stands above the headings of every printed page. */
  readonly printed?: string | undefined;
}

/** On a narrow screen each row is a small list of its own: every cell repeats its heading (data-label). */
export function Table<Row>({ caption, columns, rows, empty, muted, marks, sorting, groupBy, after, ...more }: TableProps<Row>) {
  if (empty && rows.length === 0) return <>{empty}</>;
  const shown = columns.filter(({ onlyInFiles }) => !onlyInFiles);
  /** The most digits behind the point, column by column. */
  const digits = shown.map(({ number, value }) => (number && value ? Math.max(0, ...rows.map((row) => fractionOf(value(row)))) : 0));
  return (
    <table class={more.class ? `rows ${more.class}` : "rows"}>
      <caption class="unseen">{caption}</caption>
      <thead>
        {more.printed === undefined ? null : (
          <tr class="printed-head">
            <th colspan={shown.length}>{more.printed}</th>
          </tr>
        )}
        <tr>
          {shown.map((column) => (
            <Heading column={column} sorting={sorting} />
          ))}
        </tr>
      </thead>
      {(groupBy ? [...groupedBy(rows, groupBy).values()] : [rows]).map((group) => (
        <tbody>
          {group.map((row, place) => (
            <tr class={muted?.(row) ? "muted-row" : undefined} {...marks?.(row)}>
              {shown.map((column, index) => {
                const { heading, number, names, once } = column;
                const isRepeated = once === true && groupBy !== undefined && place > 0;
                const repeated = isRepeated ? "repeated" : undefined;
                const path = column.link?.(row);
                const value = column.cell ? (
                  column.cell(row, isRepeated)
                ) : (
                  <ValueCell value={column.value?.(row)} digits={digits[index] ?? 0} />
                );
                const cell = path === undefined ? value : <Link to={path}>{value}</Link>;
                return names ? (
                  <th scope="row" data-label={heading} class={repeated}>
                    {cell}
                  </th>
                ) : (
                  <td data-label={heading} class={number ? "number" : repeated}>
                    {cell}
                  </td>
                );
              })}
            </tr>
          ))}
          {after?.(group)}
        </tbody>
      ))}
      {more.foot === undefined ? null : <tfoot>{more.foot}</tfoot>}
    </table>
  );
}

function Heading<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | undefined }) {
  const { heading, key, number } = column;
  const canSort = sorting !== undefined && isData(column);
  const order = !canSort ? undefined : sorting.by === key ? "ascending" : sorting.by === `-${key}` ? "descending" : undefined;
  const next = order === undefined ? key : order === "ascending" ? `-${key}` : undefined;
  return (
    <th scope="col" class={number ? "number" : undefined} aria-sort={order}>
      {canSort ? <Link to={sorting.path(next)}>{heading}</Link> : heading}
    </th>
  );
}

function ValueCell({ value, digits }: { readonly value: Value; readonly digits: number }) {
  if (value === null || value === undefined || value === "") return <span class="muted">-</span>;
  if (value instanceof Date) return <Time at={value} />;
  const text = inWords(value);
  if (typeof value === "number" || (typeof value === "object" && "decimal" in value))
    return <span class="amount">{aligned(text, value, digits)}</span>;
  return <>{text}</>;
}

/** Blanks as wide as the digits that are missing, so that the points stand under each other. */
const aligned = (text: string, value: Value, digits: number): string => {
  const missing = digits - fractionOf(value);
  return missing === 0 ? text : `${text}${missing === digits ? "\u2008" : ""}${"\u2007".repeat(missing)}`;
};

/** By the column of this key; `-key` turns the order round. Undefined where no column has it. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], by: string): readonly Row[] {
  const column = columns.filter(isData).find(({ key }) => key === by.replace(/^-/, ""));
  if (!column) return rows;
  const [sign, { value }] = [by.startsWith("-") ? -1 : 1, column];
  const isAbsent = (row: Row) => [null, undefined, ""].includes(value(row) as null);
  return rows.toSorted((one, other) =>
    isAbsent(one) || isAbsent(other) ? Number(isAbsent(one)) - Number(isAbsent(other)) : sign * compareValues(value(one), value(other)),
  );
}
