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
  readonly muted?: (row: Row) => boolean;
}

/** On a narrow screen each row is a small list of its own: every cell repeats its heading (data-label). */
export function Table<Row>({ caption, columns, rows, muted }: TableProps<Row>) {
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
          <tr class={muted?.(row) ? "muted-row" : undefined}>
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
        ))}
      </tbody>
    </table>
  );
}

export function EmptyState({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}
