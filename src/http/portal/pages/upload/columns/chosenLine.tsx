// The line that says that a file's columns were chosen before, and what was chosen.

import type { Child } from "hono/jsx";
import { choosableFields } from "../../../../../domain/imports/columns/choice.js";
import { headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { customFieldPrefix } from "../../../../../domain/imports/fields.js";
import type { NameOf } from "../../../../../domain/principal.js";
import type { ImportColumns, ImportKind } from "../../../../../events/importEvents.js";
import { withQuery } from "../../../links.js";
import type { SignedInVisit } from "../../../pageDefinition.js";
import { Link } from "../../../shell/link.js";
import { type Column, Table } from "../../../shell/table.js";
import { Time } from "../../../shell/values.js";
import { columnsPath } from "../drafts.js";

interface Props {
  readonly visit: SignedInVisit;
  readonly kind: ImportKind;
  readonly columns: ImportColumns;
  readonly nameOf: NameOf;
}

export const ColumnsChosen = ({ visit, kind, columns: { headings, by, at }, nameOf }: Props) => (
  <>
    Columns as chosen <Time at={new Date(at)} /> by {nameOf(by)}.{" "}
    {visit.may("operate") ? (
      <Link to={withQuery(columnsPath, { kind, headings: headingsKey(Object.keys(headings)) })}>Change them</Link>
    ) : null}
  </>
);

/** What every row gets that the file does not have, and how its dates are read. */
export function FilledIn({ kind, columns: { fixed = {}, dateOrder, decimal } }: Pick<Props, "kind" | "columns">) {
  const labelOf = labels(kind);
  const rows: ColumnWords[] = [
    ...Object.entries(fixed).map(([field, value]) => ({ field: labelOf(field), column: value })),
    ...(dateOrder ? [{ field: "Dates such as 03/04/2026", column: orders[dateOrder] }] : []),
    ...(decimal ? [{ field: "Numbers", column: decimalNames[decimal] }] : []),
  ];
  return rows.length === 0 ? null : <Table caption="Filled in for every row" columns={filledColumns} rows={rows} />;
}

/** For the page of an import: the line, and what each column was taken for. */
export const ColumnsOfImport = (props: Props) => (
  <div class="chosen-columns">
    <p>
      <ColumnsChosen {...props} />
    </p>
    <details>
      <summary>Our field for each column</summary>
      <Table caption="Our field for each column" columns={tableColumns} rows={inWords(props)} />
    </details>
  </div>
);

interface ColumnWords {
  readonly column: Child;
  readonly field: Child;
}

const tableColumns: readonly Column<ColumnWords>[] = [
  { heading: "Column", names: true, cell: ({ column }) => column },
  { heading: "Our field", cell: ({ field }) => field },
];

const filledColumns: readonly Column<ColumnWords>[] = [
  { heading: "Field", names: true, cell: ({ field }) => field },
  { heading: "In every row", cell: ({ column }) => column },
];

const decimalNames = { point: "Decimal point: 1,234.5", comma: "Decimal comma: 1.234,5" } as const;
const orders = { dayFirst: "Day first", monthFirst: "Month first" } as const;

function labels(kind: ImportKind): (field: string) => string {
  const known = new Map(choosableFields({ kind, customFields: [] }).map(({ name, label }) => [name, label]));
  return (field) => known.get(field) ?? field.replace(customFieldPrefix, "");
}

function inWords({ kind, columns: { headings, fixed = {}, dateOrder, decimal } }: Props): ColumnWords[] {
  const labelOf = labels(kind);
  return [
    ...Object.entries(headings).map(([column, field]) => ({
      column,
      field: field === null ? <span class="muted">Not imported</span> : labelOf(field),
    })),
    ...Object.entries(fixed).map(([field, value]) => ({
      column: <span class="muted">{`${value} in every row`}</span>,
      field: labelOf(field),
    })),
    ...(dateOrder ? [{ column: <span class="muted">Dates such as 03/04/2026</span>, field: orders[dateOrder] }] : []),
    ...(decimal ? [{ column: <span class="muted">Numbers</span>, field: decimalNames[decimal] }] : []),
  ];
}
