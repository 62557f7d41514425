// The first rows, which come with the page. The script puts its grid in their place. Without scripts they are listed, and dismissed or reopened.

import type { Page } from "../../../../queries/page.js";
import { type Column, columnClass, neededColumns, rowStatus, usedFields } from "../../browser/corrections/rows.js";
import { Field, Form } from "../../shell/form.js";
import { clipped, countInWords } from "../../shell/formats.js";
import { Link, Pager, useVisit } from "../../shell/parts.js";
import { historyPath, importPath } from "../imports/importStatus.js";
import { correctionsPath, correctionsPathOf, type Filter } from "./correctionsFilter.js";
import type { ShownRow } from "./shownRows.js";

interface Props {
  readonly filter: Filter;
  readonly rows: Page<ShownRow>;
}

/** Lines of shipments, of which one may have hundreds. */
const mostRows = 250;

const formId = "chosen-rows";
const changes: Readonly<Partial<Record<Filter["state"], string>>> = { open: "Dismiss", dismissed: "Reopen" };
/** What may be done with the rows. */
const changeIn = ({ state }: Filter) => (useVisit().may("operate") ? changes[state] : undefined);

/** As the grid shows them, so that nothing moves when it takes their place. */
export function FirstRows({ filter, rows: { items }, columns }: Props & { readonly columns: readonly Column[] }) {
  const shown = neededColumns(columns, new Set(usedFields(items)));
  const withImport = filter.importId === undefined;
  const mayChoose = changeIn(filter) !== undefined;
  const headings = [
    ["pick", "Select"],
    ["number", "Row"],
    ["problem", "Problem"],
    ...(withImport ? [["import", "File"]] : []),
    ...shown.map((column) => [columnClass(column), column.heading]),
  ];
  const rowOf = (row: ShownRow) => {
    const { importId, reference, row: number } = row;
    const { kind, text, faulty } = rowStatus({ sent: row, verdict: row.today, closure: row.closure, sending: false }, false);
    return (
      <tr class={`grid-row ${kind}${number === row.with ? "" : " line"}`}>
        <td class="cell pick">{mayChoose && number === row.with ? <RowBox row={row} all={items} /> : null}</td>
        <th scope="row" class="cell number">
          <Link to={historyPath(importId, number)}>{number}</Link>
        </th>
        <td class="cell problem">{clipped(text)}</td>
        {withImport ? (
          <td class="cell import">
            <Link to={importPath(importId)}>{reference}</Link>
          </td>
        ) : null}
        {shown.map((column) => (
          <td class={`cell ${columnClass(column)}${faulty.includes(column.name) ? " faulty" : ""}`}>
            {clipped(row.values[column.name] ?? "")}
          </td>
        ))}
      </tr>
    );
  };
  return (
    <table class="grid" data-grid>
      <caption class="unseen">Rejected rows</caption>
      <thead>
        <tr class="grid-row head">
          {headings.map(([kind, heading]) => (
            <th scope="col" class={`cell ${kind}`}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{items.slice(0, mostRows).map(rowOf)}</tbody>
    </table>
  );
}

/** The lines of a shipment are dismissed and reopened together, with the first of them. */
function RowBox({ row: { importId, reference, row }, all }: { row: ShownRow; all: readonly ShownRow[] }) {
  const lines = all.filter((each) => each.importId === importId && each.with === row).map((each) => each.row);
  const label = `Row ${lines.join(", ")} of ${reference}`;
  return <input type="checkbox" form={formId} name="rows" value={`${importId}:${lines.join()}`} aria-label={label} />;
}

/** What the grid's tools do, as far as it can be done without scripts. */
export function PlainForm({ filter, rows }: Props) {
  const change = changeIn(filter);
  const more = rows.items.length - mostRows;
  return (
    <>
      {more > 0 ? <p class="hint">These shipments have {countInWords(more, "more line")}, not shown here.</p> : null}
      {change === undefined ? null : (
        <Form to={`${correctionsPath}/${change.toLowerCase()}`} id={formId} hidden={{ back: correctionsPathOf(filter) }} submit={change}>
          {change === "Dismiss" ? <Field label="Note" name="note" maxlength={1000} required={false} /> : null}
        </Form>
      )}
      <p class="hint">To edit rows here, turn on JavaScript. Or download an import's error report, correct it and upload it.</p>
      <Pager
        of="rows"
        cursor={useVisit().query["cursor"] || undefined}
        nextCursor={rows.nextCursor}
        path={(cursor) => correctionsPathOf(filter, { cursor })}
      />
    </>
  );
}
