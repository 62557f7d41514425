import type { Page } from "../../../../queries/page.js";
import type { Column, Settings } from "../../browser/corrections/rows.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { Button } from "../../shell/form.js";
import { importsPath, livePath } from "../imports/importStatus.js";
import { correctionsPath, correctionsPathOf, type Filter } from "./correctionsFilter.js";
import { FirstRows, PlainForm } from "./firstRows.js";
import { type ShownRow, sentPage } from "./shownRows.js";
import { suggestedFields } from "./suggestions.js";

interface FrameProps {
  readonly visit: SignedInVisit;
  readonly filter: Filter;
  readonly columns: readonly Column[];
  readonly rows: Page<ShownRow>;
}

/** The script fetches larger rows itself. */
const mostFirstBytes = 128 * 1024;

/** The rows, and their tools, which are shown once the script has put its grid in the rows' place. */
export function GridFrame({ visit, filter, columns, rows }: FrameProps) {
  const { links, person } = visit;
  const first = visit.query["cursor"] ? "" : JSON.stringify(sentPage(rows));
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
      data-first={first.length > mostFirstBytes ? "" : first}
    >
      <h2 id="rows" class="unseen">
        Rows
      </h2>
      <div class="tools">
        {settings.editable ? (
          // One stop of the Tab key: the arrow keys move between the tools.
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
              {columns.map(({ name, heading }) => (
                <option value={name}>{heading}</option>
              ))}
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
