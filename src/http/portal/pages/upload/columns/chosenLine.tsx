// The line that says that a file's columns were chosen before, and what was chosen.
import type { Child } from "hono/jsx";
import { choosableFields } from "../../../../../domain/imports/columns/choice.js";
import { headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { customFieldPrefix } from "../../../../../domain/imports/fields.js";
import type { NameOf } from "../../../../../domain/principal.js";
import type { ImportColumns, ImportKind } from "../../../../../events/importEvents.js";
import { Link, Time, useVisit, withQuery } from "../../../shell/parts.js";
import { type Column, Table } from "../../../shell/table.js";
import { columnsPath } from "../drafts.js";

interface Props {
  readonly kind: ImportKind;
  readonly columns: ImportColumns;
  readonly nameOf: NameOf;
}

export const ColumnsChosen = ({ kind, columns: { headings, by, at }, nameOf }: Props) => (
  <>
    Columns as chosen <Time at={new Date(at)} /> by {nameOf(by)}.{" "}
    {useVisit().may("operate") ? (
      <Link to={withQuery(columnsPath, { kind, headings: headingsKey(Object.keys(headings)) })}>Change them</Link>
    ) : null}
  </>
);

/** What every row gets that the file does not have, and how its dates and numbers are read. */
export function FilledIn({ kind, columns: { fixed = {}, dateOrder, decimal } }: Pick<Props, "kind" | "columns">) {
  const labelOf = labels(kind);
  const rows: LabelledRow[] = Object.entries(fixed).map(([field, value]) => [labelOf(field), value]);
  if (dateOrder) rows.push(["Dates such as 03/04/2026", orders[dateOrder]]);
  if (decimal) rows.push(["Numbers", decimalNames[decimal]]);
  if (rows.length === 0) return null;
  return <Table caption="Filled in for every row" columns={columnsNamed("Field", "In every row")} rows={rows} />;
}

/** For the page of an import: the line, and what each column was taken for. */
export function ColumnsOfImport(props: Props) {
  const { kind, columns } = props;
  const labelOf = labels(kind);
  const rows = Object.entries(columns.headings).map(
    ([column, field]): LabelledRow => [column, field === null ? <span class="muted">Not imported</span> : labelOf(field)],
  );
  return (
    <div class="chosen-columns">
      <p>
        <ColumnsChosen {...props} />
      </p>
      <details>
        <summary>Our field for each column</summary>
        <Table caption="Our field for each column" columns={columnsNamed("Column", "Our field")} rows={rows} />
        <FilledIn kind={kind} columns={columns} />
      </details>
    </div>
  );
}

type LabelledRow = [what: string, value: Child];

const columnsNamed = (first: string, second: string): readonly Column<LabelledRow>[] => [
  { heading: first, names: true, cell: ([what]) => what },
  { heading: second, cell: ([, value]) => value },
];

const decimalNames = { point: "Decimal point: 1,234.5", comma: "Decimal comma: 1.234,5" } as const;
const orders = { dayFirst: "Day first", monthFirst: "Month first" } as const;

function labels(kind: ImportKind): (field: string) => string {
  const known = new Map(choosableFields({ kind, customFields: [] }).map(({ name, label }) => [name, label]));
  return (field) => known.get(field) ?? field.replace(customFieldPrefix, "");
}
