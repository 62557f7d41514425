import type { PageDefinition, SignedInVisit } from "../pageDefinition.js";
import { menuOf } from "../shell/navigation.js";
import { Panel } from "../shell/panel.js";
import { searchable } from "./search.js";

const path = "/portal/help";

export const helpPage: PageDefinition<SignedInVisit> = {
  path,
  access: "look",
  show: async (visit) => ({
    title: "Help",
    body: (
      <>
        <Pages visit={visit} />
        <Panel id="search" title="Search">
          <p>{searchable}</p>
        </Panel>
        <Panel id="keyboard" title="Keyboard">
          <p>Every page works with the keyboard alone: Tab moves forward, Shift+Tab moves back, Enter opens a link or presses a button.</p>
          <dl class="keys">
            {keyboard.map(([keys, effect]) => (
              <div>
                <dt>{keys}</dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
        </Panel>
        <Panel id="read-on" title="Read more">
          <ul>
            <li>
              <a href={visit.links.to("/docs/guide")}>Guide</a>: from the first quote to a corrected and a reversed import, step by step.
            </li>
            <li>
              <a href={visit.links.to("/docs")}>API reference</a>: every call with its fields, answers and samples, to try out with a key.
            </li>
            <li>
              <a href={visit.links.to("/openapi.json")}>OpenAPI document</a>: the same for programs.
            </li>
          </ul>
          <p class="hint">
            If an error page shows a request id, give it to the people who run this service so that they can find what went wrong.
          </p>
        </Panel>
      </>
    ),
  }),
};

/** Only the pages of this person's menu. */
function Pages({ visit }: { visit: SignedInVisit }) {
  const entries = menuOf(visit).filter((entry) => entry.path !== path);
  return (
    <Panel id="pages" title="What each page is for">
      <dl class="keys">
        {entries.map(({ path: to, label, about }) => (
          <div>
            <dt>
              <a href={visit.links.to(to)}>{label}</a>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

const keyboard: readonly (readonly [string, string])[] = [
  ["/", "Leads to the search, on every page."],
  ["Arrow keys", "In the table of rejected rows: move from cell to cell."],
  ["Enter, or typing", "Edits the cell."],
  ["Escape", "Leaves the cell, and then the table."],
  ["Ctrl+V", "Pastes cells that were copied from a spreadsheet, also into the items of a quote."],
  ["Ctrl+D", "Fills the selected cells with the value of the first."],
  ["Ctrl+H", "Finds and replaces in one column."],
  ["Ctrl+Z", "Undoes the last change."],
  ["Space", "Selects the row."],
];
