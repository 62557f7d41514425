import type { SignedInVisit } from "../../page.js";
import { Button } from "../../shell/form.js";
import { importsPath, livePath } from "../imports/status.js";
import { addressOf, correctionsPath, type Filter } from "./filter.js";
import type { GridColumn } from "./shownRows.js";

/** The place of the grid, which the script puts on the page and fills. */
export function GridFrame({ visit, filter, columns }: { visit: SignedInVisit; filter: Filter; columns: readonly GridColumn[] }) {
  const { links, person } = visit;
  const { state } = filter;
  const mayChange = visit.may("operate");
  const settings = {
    rowsUrl: links.to(addressOf(filter, {}, `${correctionsPath}/rows`)),
    base: links.to(correctionsPath),
    importBase: links.to(importsPath),
    liveUrl: links.to(livePath),
    owner: `${person.organisationId} ${person.memberId}`,
    kind: filter.kind,
    state,
    mayChange,
    columns,
  };
  return (
    <section class="panel rejected-rows" aria-labelledby="rows" id="corrections" data-settings={JSON.stringify(settings)}>
      <h2 id="rows">Rows</h2>
      {state === "open" && mayChange ? <OpenTools columns={columns} /> : null}
      {state === "dismissed" && mayChange ? (
        <div class="tools">
          <Button type="button" data-do="reopen" label="Reopen" />
        </div>
      ) : null}
      <p class="grid-status" role="status" data-status />
      <div class="grid-outcome" data-outcome />
      <div class="grid-frame" data-frame>
        <div class="grid" data-grid />
      </div>
      <p class="row-problem" data-problem />
      {state === "open" && mayChange ? (
        <p class="hint" id="grid-help">
          Arrow keys move, typing or Enter edits a cell, Escape leaves it and then the table. Paste a block of cells from a spreadsheet with
          Ctrl+V; Ctrl+D fills down, Ctrl+Z takes back, Space selects the row. What is not sent is kept in this browser.
        </p>
      ) : null}
    </section>
  );
}

const OpenTools = ({ columns }: { columns: readonly GridColumn[] }) => (
  <div class="tools">
    <div class="button-row tool">
      <Button type="button" data-do="submit" label="Submit corrections" />
      <Button type="button" class="quiet" data-do="fillDown" label="Fill down" />
      <Button type="button" class="quiet" data-do="undo" label="Undo" />
      <Button type="button" class="quiet" data-do="columns" aria-pressed="false" label="All columns" />
    </div>
    <form class="button-row tool" data-set>
      <label for="set-column">Column</label>
      <select id="set-column">
        {columns.map(({ name, heading }) => (
          <option value={name}>{heading}</option>
        ))}
      </select>
      <label for="set-value">Value</label>
      <input id="set-value" autocomplete="off" maxlength={1000} />
      <Button class="quiet" label="Set for selected rows" />
    </form>
    <form class="button-row tool" data-dismiss>
      <label for="dismiss-note">Note</label>
      <input id="dismiss-note" autocomplete="off" maxlength={1000} />
      <Button class="quiet danger" label="Dismiss" />
    </form>
  </div>
);
