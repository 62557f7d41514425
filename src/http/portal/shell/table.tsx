// Tables. The columns of a subject are defined once, for the table on its page and for the CSV, XLSX and JSON of the same rows.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../domain/groupedBy.js";
import { compareValues, displayText, fileValue, fractionDigits, type Value } from "./formats.js";
import { Badge, Link, type State, Time } from "./markup.js";

export interface Column<Row> {
  readonly heading: string;
  /** The value of a row's cell. Undefined for a column that is markup only, such as buttons. */
  readonly value?: (row: Row) => Value;
  /** The cell's markup on a page, if it is more than the value as text. `isRepeated`: see `oncePerGroup`. */
  readonly cell?: (row: Row, isRepeated: boolean) => Child;
  /** The path that the cell links to. */
  readonly link?: (row: Row) => string | undefined;
  /** The column's name in JSON, and in the address of a sorted page. A column without a key is on pages only. */
  readonly key?: string;
  /** Aligns the cells to the right, and numbers at their decimal points. */
  readonly number?: boolean;
  /** Whether the cells name their rows, for screen readers. */
  readonly isRowHeader?: boolean;
  /** Whether only files have the column. */
  readonly onlyInFiles?: boolean;
  /** Whether the cell is visible only in the first row of a group. Screen readers read it in every row. */
  readonly oncePerGroup?: boolean;
}

export const downloadColumns = <Row,>(columns: readonly (readonly [key: string, heading: string, value: (row: Row) => Value])[]) =>
  columns.map(([key, heading, value]): Column<Row> => ({ key, heading, value, onlyInFiles: true }));

export const actionColumn = <Row,>(buttons: (row: Row) => Child): Column<Row> => ({
  heading: "Action",
  number: true,
  cell: (row) => <div class="actions">{buttons(row)}</div>,
});

type CellOptions<Row> = Omit<Column<Row>, "key" | "heading" | "value">;

/** A column that files have and that a list can be sorted by. */
export type DataColumn<Row> = Column<Row> & Required<Pick<Column<Row>, "key" | "value">>;

/** A column with a value, for pages and files. */
export const column = <Row,>(key: string, heading: string, value: (row: Row) => Value, more: CellOptions<Row> = {}): DataColumn<Row> => ({
  key,
  heading,
  value,
  ...more,
});

export const stateColumn = <Row,>(key: string, heading: string, stateOf: (row: Row) => State): DataColumn<Row> =>
  column(key, heading, (row) => stateOf(row).label, { cell: (row) => <Badge state={stateOf(row)} /> });

export const isData = <Row,>(column: Column<Row>): column is DataColumn<Row> => column.key !== undefined && column.value !== undefined;

/** The cells of rows, as CSV and XLSX files have them. */
export const cellsInFile = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[], timezone: string) =>
  rows.map((row) => columns.filter(isData).map(({ value }) => fileValue(value(row), timezone)));

export interface Sorting {
  /** The key of the column, such as `rows`. `-rows` sorts in descending order. */
  readonly by: string;
  /** Returns the path of the page in another order; `undefined` stands for the list's own order. */
  readonly path: (by: string | undefined) => string;
}

interface TableProps<Row> {
  /** What a screen reader says before the table. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown instead of the table if it has no rows. */
  readonly empty?: Child;
  readonly isMuted?: ((row: Row) => boolean) | undefined;
  /** Attributes of each row by which links and scripts find it, such as its id. */
  readonly rowAttributes?: ((row: Row) => Readonly<Record<string, string>>) | undefined;
  /** Makes the headings links that sort the page. */
  readonly sorting?: Sorting | undefined;
  readonly class?: string;
  /** Puts rows for which this returns the same value into one group. */
  readonly groupBy?: (row: Row) => unknown;
  /** Renders one more row after the rows of a group. */
  readonly afterGroup?: (group: readonly Row[]) => Child;
  readonly foot?: Child;
  /** A text above the headings on every printed page. */
  readonly printedHead?: string | undefined;
}

/** On a narrow screen each row is drawn as a small list, in which every cell repeats its heading (data-label). */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, empty, isMuted, rowAttributes, sorting, groupBy, afterGroup, ...more } = props;
  if (empty && rows.length === 0) return <>{empty}</>;
  const shown = columns.filter(({ onlyInFiles }) => !onlyInFiles);
  /** The most digits after the decimal point, by column. */
  const digits = shown.map(({ number, value }) => (number && value ? Math.max(0, ...rows.map((row) => fractionDigits(value(row)))) : 0));
  return (
    <table class={more.class ? `rows ${more.class}` : "rows"}>
      <caption class="unseen">{caption}</caption>
      <thead>
        {more.printedHead === undefined ? null : (
          <tr class="printed-head">
            <th colspan={shown.length}>{more.printedHead}</th>
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
            <tr class={isMuted?.(row) ? "muted-row" : undefined} {...rowAttributes?.(row)}>
              {shown.map((column, index) => {
                const { heading, number, isRowHeader, oncePerGroup } = column;
                const isRepeated = oncePerGroup === true && groupBy !== undefined && place > 0;
                const repeatedClass = isRepeated ? "repeated" : undefined;
                const path = column.link?.(row);
                const value = column.cell ? (
                  column.cell(row, isRepeated)
                ) : (
                  <ValueCell value={column.value?.(row)} digits={digits[index] ?? 0} />
                );
                const cell = path === undefined ? value : <Link to={path}>{value}</Link>;
                return isRowHeader ? (
                  <th scope="row" data-label={heading} class={repeatedClass}>
                    {cell}
                  </th>
                ) : (
                  <td data-label={heading} class={number ? "number" : repeatedClass}>
                    {cell}
                  </td>
                );
              })}
            </tr>
          ))}
          {afterGroup?.(group)}
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
  const text = displayText(value);
  if (typeof value === "number" || (typeof value === "object" && "decimal" in value))
    return <span class="amount">{alignDecimal(text, value, digits)}</span>;
  return <>{text}</>;
}

/** Adds blanks as wide as the missing digits, so that the decimal points of a column are below each other. */
const alignDecimal = (text: string, value: Value, digits: number): string => {
  const missing = digits - fractionDigits(value);
  return missing === 0 ? text : `${text}${missing === digits ? "\u2008" : ""}${"\u2007".repeat(missing)}`;
};

/** Sorts rows by the column with this key; `-key` sorts in descending order. Rows without a value come last. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], by: string): readonly Row[] {
  const column = columns.filter(isData).find(({ key }) => key === by.replace(/^-/, ""));
  if (!column) return rows;
  const [sign, { value }] = [by.startsWith("-") ? -1 : 1, column];
  const isAbsent = (row: Row) => [null, undefined, ""].includes(value(row) as null);
  return rows.toSorted((one, other) =>
    isAbsent(one) || isAbsent(other) ? Number(isAbsent(one)) - Number(isAbsent(other)) : sign * compareValues(value(one), value(other)),
  );
}
