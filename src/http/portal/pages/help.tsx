import { definePage } from "../pageDefinition.js";
import { menuOf } from "../shell/navigation.js";
import { type Fact, Facts, Link, Panel } from "../shell/parts.js";
import { searchable } from "./search.js";

const path = "/portal/help";

/** Of the pages only those of this person's menu. */
export const helpPage = definePage(path, "look", async (visit) => ({
  title: "Help",
  body: (
    <>
      <Panel id="pages" title="What each page is for">
        <Facts
          class="keys"
          facts={menuOf(visit)
            .filter((entry) => entry.path !== path)
            .map(({ path: to, label, about }): Fact => [<Link to={to}>{label}</Link>, about])}
        />
      </Panel>
      <Panel id="search" title="Search">
        <p>{searchable}</p>
      </Panel>
      <Panel id="keyboard" title="Keyboard">
        <p>Every page works with the keyboard alone: Tab moves forward, Shift+Tab moves back, Enter opens a link or presses a button.</p>
        <Facts class="keys" facts={keyboard} />
      </Panel>
      <Panel id="read-on" title="Read more">
        <ul>
          <li>
            <Link to="/docs/guide">Guide</Link>: from the first quote to a corrected and a reversed import, step by step.
          </li>
          <li>
            <Link to="/docs">API reference</Link>: every call with its fields, answers and samples, to try out with a key.
          </li>
          <li>
            <Link to="/openapi.json">OpenAPI document</Link>: the same for programs.
          </li>
        </ul>
        <p class="hint">
          If an error page shows a request id, give it to the people who run this service so that they can find what went wrong.
        </p>
      </Panel>
    </>
  ),
}));

const keyboard: readonly Fact[] = [
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
