// The line that says that a file's columns were chosen before, and what was chosen.
import { choosableFields } from "../../../../../domain/imports/columns/choice.js";
import { headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { customFieldPrefix } from "../../../../../domain/imports/fields.js";
import type { NameOf } from "../../../../../domain/principal.js";
import type { ImportColumns, ImportKind } from "../../../../../events/importEvents.js";
import type { SignedInVisit } from "../../../page.js";
import { type Fact, Facts } from "../../../shell/panel.js";
import { Time } from "../../../shell/values.js";
import { columnsPath } from "./columnsOfFile.js";

interface Props {
  readonly visit: SignedInVisit;
  readonly kind: ImportKind;
  readonly columns: ImportColumns;
  readonly nameOf: NameOf;
}

export const ColumnsChosen = ({ visit, kind, columns: { headings, by, at }, nameOf }: Props) => (
  <>
    Columns as chosen <Time visit={visit} at={new Date(at)} /> by {nameOf(by)}.{" "}
    {visit.may("operate") ? (
      <a href={visit.links.to(columnsPath, { kind, headings: headingsKey(Object.keys(headings)) })}>Change them</a>
    ) : null}
  </>
);

/** For the page of an import: the line, and what each column was taken for. */
export const ColumnsOfImport = (props: Props) => (
  <div class="chosen-columns">
    <p>
      <ColumnsChosen {...props} />
    </p>
    <details>
      <summary>What each column was taken for</summary>
      <Facts facts={inWords(props)} class="values" />
    </details>
  </div>
);

const orders = { dayFirst: "Day first", monthFirst: "Month first" } as const;

function inWords({ kind, columns: { headings, fixed = {}, dateOrder } }: Props): Fact[] {
  const labels = new Map(choosableFields({ kind, customFields: [] }).map(({ name, label }) => [name, label]));
  const labelOf = (field: string) => labels.get(field) ?? field.replace(customFieldPrefix, "");
  return [
    ...Object.entries(headings).map(
      ([heading, field]): Fact => [heading, field === null ? <span class="muted">Left out</span> : labelOf(field)],
    ),
    ...Object.entries(fixed).map(([field, value]): Fact => [labelOf(field), `${value} (in every row)`]),
    ...(dateOrder ? [["Dates such as 03/04/2026", orders[dateOrder]] as Fact] : []),
  ];
}
