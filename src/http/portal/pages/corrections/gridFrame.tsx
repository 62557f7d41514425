import type { SignedInVisit } from "../../page.js";
import { Button } from "../../shell/form.js";
import { importsPath, livePath } from "../imports/status.js";
import { addressOf, correctionsPath, type Filter } from "./filter.js";
import type { GridColumn } from "./shownRows.js";
import { suggestedFields } from "./suggestions.js";

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
    suggested: suggestedFields,
  };
  const isEditable = state === "open" && mayChange;
  return (
    <section class="panel rejected-rows" aria-labelledby="rows" id="corrections" data-settings={JSON.stringify(settings)}>
      <h2 id="rows" class="unseen">
        Rows
      </h2>
      <div class="tools">
        {isEditable ? <OpenTools /> : null}
        {state === "dismissed" && mayChange ? <Button type="button" data-do="reopen" label="Reopen" /> : null}
        <p class="grid-status" role="status" data-status />
      </div>
      <div class="grid-outcome" data-outcome />
      <div class="grid-frame" data-frame>
        <div class="grid" id="grid" tabindex={-1} data-grid />
      </div>
      <p class="row-problem" data-problem />
      {isEditable ? <SetForm columns={columns} /> : null}
      {isEditable ? (
        <p class="hint" id="grid-help">
          Move with the arrow keys. Type or press Enter to edit a cell, and Escape to leave it. Ctrl+V pastes cells from a spreadsheet,
          Ctrl+D fills down, Ctrl+H finds and replaces, Ctrl+Z undoes, Space selects the row. Changes that you have not submitted are kept
          in this browser.
        </p>
      ) : null}
    </section>
  );
}

/** One stop of the Tab key: the arrow keys move between the tools. The note is the last one, since it needs the arrow keys itself. */
const OpenTools = () => (
  <div class="button-row tool-row" role="toolbar" data-rove aria-label="Tools">
    <Button type="button" data-do="submit" label="Submit corrections" />
    <Button type="button" class="quiet" data-do="fillDown" label="Fill down" />
    <Button type="button" class="quiet" data-do="replace" label="Find and replace" />
    <Button type="button" class="quiet" data-do="undo" label="Undo" />
    <Button type="button" class="quiet" data-do="columns" aria-pressed="false" label="All columns" />
    <form class="button-row tool" data-dismiss>
      <Button class="quiet danger" label="Dismiss" />
      <label for="dismiss-note">Note</label>
      <input id="dismiss-note" autocomplete="off" maxlength={1000} />
    </form>
  </div>
);

const SetForm = ({ columns }: { columns: readonly GridColumn[] }) => (
  <form class="button-row tool set-form" data-set>
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
);
