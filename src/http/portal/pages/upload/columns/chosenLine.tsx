// Shows which columns were chosen for a file, when and by whom.
import type { Child } from "hono/jsx";
import { choosableFields } from "../../../../../domain/imports/columns/choice.js";
import { headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { customFieldPrefix } from "../../../../../domain/imports/fields.js";
import type { NameOf } from "../../../../../domain/principal.js";
import type { ImportColumns, ImportKind } from "../../../../../events/importEvents.js";
import { Link, Time, useVisit, withQuery } from "../../../shell/markup.js";
import { type Column, Table } from "../../../shell/table.js";
import { columnsPath } from "../drafts.js";

interface ChosenColumnsProps {
  readonly kind: ImportKind;
  readonly columns: ImportColumns;
  readonly nameOf: NameOf;
}

export const ChosenColumnsLine = ({ kind, columns: { headings, by, at }, nameOf }: ChosenColumnsProps) => (
  <>
    Columns as chosen <Time at={new Date(at)} /> by {nameOf(by)}.{" "}
    {useVisit().may("operate") ? (
      <Link to={withQuery(columnsPath, { kind, headings: headingsKey(Object.keys(headings)) })}>Change them</Link>
    ) : null}
  </>
);

/** The values that every row gets besides those of the file, and how dates and numbers are read. */
export function FixedValuesTable({ kind, columns: { fixed = {}, dateOrder, decimal } }: Pick<ChosenColumnsProps, "kind" | "columns">) {
  const labelOf = fieldLabels(kind);
  const rows: LabelledRow[] = Object.entries(fixed).map(([field, value]) => [labelOf(field), value]);
  if (dateOrder) rows.push(["Dates such as 03/04/2026", dateOrderLabels[dateOrder]]);
  if (decimal) rows.push(["Numbers", decimalNames[decimal]]);
  if (rows.length === 0) return null;
  return <Table caption="Filled in for every row" columns={twoColumns("Field", "In every row")} rows={rows} />;
}

/** For the page of an import: who chose the columns, and the field of each column. */
export function ColumnsOfImport(props: ChosenColumnsProps) {
  const { kind, columns } = props;
  const labelOf = fieldLabels(kind);
  const rows = Object.entries(columns.headings).map(
    ([column, field]): LabelledRow => [column, field === null ? <span class="muted">Not imported</span> : labelOf(field)],
  );
  return (
    <div class="chosen-columns">
      <p>
        <ChosenColumnsLine {...props} />
      </p>
      <details>
        <summary>Our field for each column</summary>
        <Table caption="Our field for each column" columns={twoColumns("Column", "Our field")} rows={rows} />
        <FixedValuesTable kind={kind} columns={columns} />
      </details>
    </div>
  );
}

type LabelledRow = [what: string, value: Child];

const twoColumns = (first: string, second: string): readonly Column<LabelledRow>[] => [
  { heading: first, isRowHeader: true, cell: ([what]) => what },
  { heading: second, cell: ([, value]) => value },
];

const decimalNames = { point: "Decimal point: 1,234.5", comma: "Decimal comma: 1.234,5" } as const;
const dateOrderLabels = { dayFirst: "Day first", monthFirst: "Month first" } as const;

function fieldLabels(kind: ImportKind): (field: string) => string {
  const known = new Map(choosableFields({ kind, customFields: [] }).map(({ name, label }) => [name, label]));
  return (field) => known.get(field) ?? field.replace(customFieldPrefix, "");
}
