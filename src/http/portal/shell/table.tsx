import type { Child } from "hono/jsx";

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
