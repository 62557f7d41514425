import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { columnsOf, customFieldPrefix, isNumberField } from "../../../../domain/imports/fields.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import type { RowFilter } from "../../../../queries/rejectedRows/correctionRows.js";
import type { RowPage } from "../../../../queries/rowPage.js";
import { columnClass, type GridColumn, neededColumns, rowStatus, type Settings, usedFields } from "../../browser/corrections/rows.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { Button, Field, Form, Options } from "../../shell/form.js";
import { clipText, countInWords } from "../../shell/formats.js";
import { Link, Pager, useVisit } from "../../shell/markup.js";
import { historyPath, importPath, importsPath, livePath } from "../imports/importStatus.js";
import { suggestedFields } from "./correctionAnswers.js";
import { correctionsPath, correctionsPathOf, type ShownRow, servedPage } from "./shownRows.js";

interface FrameProps {
  readonly visit: SignedInVisit;
  readonly filter: RowFilter;
  readonly columns: readonly GridColumn[];
  readonly rows: RowPage<ShownRow>;
}

export function gridColumns(kind: ImportKind, { file }: Catalogue): GridColumn[] {
  const fieldColumns = columnsOf(kind).map(({ name, heading, required, type }) => ({
    name,
    heading,
    required: required !== false,
    time: type === "time",
    number: isNumberField({ type }),
  }));
  const plainText = { required: false, time: false, number: false };
  const custom = kind === "shipments" ? (file.customFields ?? []) : [];
  return [...fieldColumns, ...custom.map(({ key, label = key }) => ({ name: customFieldPrefix + key, heading: label, ...plainText }))];
}

/** If the first rows as JSON are larger than this, they are not in the page, and the script fetches them. */
const maxInlineBytes = 128 * 1024;

/** The rows as a plain table, until the script replaces the table with its grid. The tools are visible only with the grid. */
export function GridFrame({ visit, filter, columns, rows }: FrameProps) {
  const { links, person } = visit;
  const firstRowsJson = visit.query["cursor"] ? "" : JSON.stringify(servedPage(rows));
  const { state } = filter;
  const mayChange = visit.may("operate");
  const settings: Settings = {
    rowsUrl: links.to(correctionsPathOf(filter, {}, `${correctionsPath}/rows`)),
    base: links.to(correctionsPath),
    importBase: links.to(importsPath),
    liveUrl: links.to(livePath),
    owner: `${person.organisationId} ${person.memberId}`,
    kind: filter.kind,
    state,
    editable: state === "open" && mayChange,
    withFile: filter.importId === undefined,
    columns,
    suggested: suggestedFields,
  };
  return (
    <section
      class="panel rejected-rows waiting"
      aria-labelledby="rows"
      id="corrections"
      data-settings={JSON.stringify(settings)}
      data-first={firstRowsJson.length > maxInlineBytes ? "" : firstRowsJson}
    >
      <h2 id="rows" class="unseen">
        Rows
      </h2>
      <div class="tools">
        {settings.editable ? (
          // The toolbar is one stop of the Tab key: the arrow keys move between the tools.
          <div class="button-row tool-row" role="toolbar" data-rove aria-label="Tools">
            <Button type="button" data-do="submit" label="Submit corrections" />
            <Button type="button" class="quiet" data-do="fillDown" label="Fill down" />
            <Button type="button" class="quiet" data-do="replace" label="Find and replace" />
            <Button type="button" class="quiet" data-do="undo" label="Undo" />
            <Button type="button" class="quiet" data-do="columns" aria-pressed="false" label="All columns" />
            <Button type="button" class="quiet" data-do="dayFirst" label="Read dates as day first" hidden />
            <Button type="button" class="quiet" data-do="monthFirst" label="Read dates as month first" hidden />
            <Button type="button" class="quiet danger" data-do="dismiss" label="Dismiss" />
          </div>
        ) : null}
        {state === "dismissed" && mayChange ? <Button type="button" data-do="reopen" label="Reopen" /> : null}
        <p class="grid-status" role="status" data-status />
      </div>
      <div class="grid-outcome" data-outcome />
      <div class="grid-frame" data-frame>
        <FirstRows filter={filter} columns={columns} rows={rows} />
      </div>
      <noscript>
        <PlainForm filter={filter} rows={rows} />
      </noscript>
      <p class="row-problem" data-problem />
      {settings.editable ? (
        <>
          <form class="button-row tool set-form" data-set>
            <label for="set-column">Column</label>
            <select id="set-column" name="column">
              <Options options={columns.map(({ name, heading }) => ({ value: name, label: heading }))} />
            </select>
            <label for="set-value">Value</label>
            <input id="set-value" name="value" autocomplete="off" maxlength={1000} />
            <Button class="quiet" label="Set for selected rows" />
          </form>
          <p class="hint grid-help" id="grid-help">
            Move with the arrow keys. Type or press Enter to edit a cell, and Escape to leave it. Ctrl+V pastes cells from a spreadsheet,
            Ctrl+D fills down, Ctrl+H finds and replaces, Ctrl+Z undoes, Space selects the row. Changes that you have not submitted are kept
            in this browser.
          </p>
        </>
      ) : null}
    </section>
  );
}

/** The most rows in the plain table: its 50 shipments may have hundreds of lines each. */
const maxPlainRows = 250;

const formId = "chosen-rows";
const changeLabels: Readonly<Partial<Record<RowFilter["state"], string>>> = { open: "Dismiss", dismissed: "Reopen" };
const allowedChange = ({ state }: RowFilter) => (useVisit().may("operate") ? changeLabels[state] : undefined);

/** Looks like the grid, so that nothing moves when the grid replaces it. */
function FirstRows({ filter, rows: { items }, columns }: Omit<FrameProps, "visit">) {
  const shownColumns = neededColumns(columns, new Set(usedFields(items)));
  const withImport = filter.importId === undefined;
  const mayChoose = allowedChange(filter) !== undefined;
  const headings = [
    ["pick", "Select"],
    ["number", "Row"],
    ["problem", "Problem"],
    ...(withImport ? [["import", "File"]] : []),
    ...shownColumns.map((column) => [columnClass(column), column.heading]),
  ];
  const rowOf = (row: ShownRow) => {
    const { importId, reference, row: number } = row;
    const { kind, text, faulty } = rowStatus({ served: row, verdict: row.verdictToday, closure: row.closure, sending: false }, false);
    return (
      <tr class={`grid-row ${kind}${number === row.firstRow ? "" : " line"}`}>
        <td class="cell pick">{mayChoose && number === row.firstRow ? <RowBox row={row} all={items} /> : null}</td>
        <th scope="row" class="cell number">
          <Link to={historyPath(importId, number)}>{number}</Link>
        </th>
        <td class="cell problem">{clipText(text)}</td>
        {withImport ? (
          <td class="cell import">
            <Link to={importPath(importId)}>{reference}</Link>
          </td>
        ) : null}
        {shownColumns.map((column) => (
          <td class={`cell ${columnClass(column)}${faulty.includes(column.name) ? " faulty" : ""}`}>
            {clipText(row.values[column.name] ?? "")}
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
      <tbody>{items.slice(0, maxPlainRows).map(rowOf)}</tbody>
    </table>
  );
}

/** The checkbox of a shipment's first line stands for all of its lines, which are dismissed and reopened together. */
function RowBox({ row: { importId, reference, row }, all }: { row: ShownRow; all: readonly ShownRow[] }) {
  const lines = all.filter((each) => each.importId === importId && each.firstRow === row).map((each) => each.row);
  const label = `Row ${lines.join(", ")} of ${reference}`;
  return <input type="checkbox" form={formId} name="rows" value={`${importId}:${lines.join()}`} aria-label={label} />;
}

/** Dismisses and reopens rows without scripts. */
function PlainForm({ filter, rows }: Pick<FrameProps, "filter" | "rows">) {
  const change = allowedChange(filter);
  const more = rows.items.length - maxPlainRows;
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
        plural="rows"
        isFirst={!useVisit().query["cursor"]}
        nextCursor={rows.nextCursor}
        path={(cursor) => correctionsPathOf(filter, { cursor })}
      />
    </>
  );
}
