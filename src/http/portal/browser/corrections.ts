// The page of rejected rows: replaces the server's table with a grid, loads the rows, and connects the modules in the folder `corrections`.
import { count } from "./corrections/changes.js";
import { controlGrid } from "./corrections/control.js";
import { storedEdits } from "./corrections/edits.js";
import { judgeChanges } from "./corrections/judging.js";
import { rowStatus, type ServedRow, type Settings } from "./corrections/rows.js";
import { announceRecorded } from "./corrections/sending.js";
import { askServerWithRetries, RequestRefused } from "./corrections/server.js";
import { createSheet } from "./corrections/sheet.js";
import { followStates } from "./corrections/states.js";
import { bindTools, type Tools } from "./corrections/tools.js";
import { type CorrectionPage, createView } from "./corrections/view.js";
import { element } from "./element.js";
import { roveIn } from "./roving.js";

function start(panel: HTMLElement): void {
  const settings = JSON.parse(panel.dataset["settings"] ?? "{}") as Settings;
  const part = (name: string) => panel.querySelector<HTMLElement>(`[data-${name}]`);
  const [frame, table, problem] = [part("frame"), part("grid"), part("problem")];
  if (!frame || !table || !problem) return;
  const described = settings.editable ? { "aria-describedby": "grid-help" } : undefined;
  const named = { role: "grid", "aria-labelledby": "rows", "aria-multiselectable": "true", ...described };
  const grid = element("div", { class: "grid", id: "grid", tabindex: "-1", ...named });
  const edits = storedEdits(settings.owner);
  const sheet = createSheet(settings.kind, edits);
  const references = new Map<string, string>();
  const shared = { sheet, edits, settings, references };
  const view = createView(frame, grid, shared);
  const page: CorrectionPage = {
    ...shared,
    view,
    change: (changes) => {
      const skipped = sheet.change(changes);
      if (skipped > 0)
        page.say(`${count(skipped, "cell was", "cells were")} not changed: their rows are no longer open, or are being submitted.`);
    },
    say: () => undefined,
    showOutcome: (...outcome) => part("outcome")?.replaceChildren(...outcome),
  };
  const tools = bindTools(panel, page);
  edits.onFull = () => page.say("This browser's storage is full. Submit your changes before you close the page, or they are lost.");
  const judge = judgeChanges(page);
  const leave = () => (panel.querySelector<HTMLElement>("button") ?? panel.closest<HTMLElement>("main"))?.focus();
  const commands = controlGrid(page, leave);
  for (const [name, run] of Object.entries(commands)) panel.querySelector(`[data-do="${name}"]`)?.addEventListener("click", run);
  /** Shows the full problem of the active row below the grid, since the cell may be too narrow. */
  const showProblem = () => {
    const row = sheet.rows[view.active.row];
    if (!row) return problem.replaceChildren();
    const { importId, row: number } = row.served;
    const text = `Row ${number} of ${references.get(importId) ?? importId}: ${rowStatus(row, sheet.isTouched(row)).text} `;
    if (problem.firstChild?.textContent === text) return;
    const linkTo = (path: string, label: string) => element("a", { href: `${settings.importBase}/${path}` }, label);
    const other = row.closure?.otherId ? [linkTo(row.closure.otherId, "Open that import"), " "] : [];
    problem.replaceChildren(text, ...other, linkTo(`${importId}/history?row=${number}`, `History of row ${number}`));
  };
  sheet.onChange = () => {
    view.refresh();
    tools.refresh();
    judge();
    // Recorded lines of shipments stay: the grid refuses to give an open line the shipment id of a recorded one (`closedLineVerdict`).
    if (announceRecorded() && settings.kind === "activities") setTimeout(() => reload(location.search, true));
    showProblem();
  };
  grid.addEventListener("focusin", ({ target }) => {
    if (target === grid) view.goTo(view.active);
    else showProblem();
  });
  const skip = element("a", { class: "skip", href: `#${grid.id}` }, "Skip to the rows");
  skip.addEventListener("click", (event) => {
    event.preventDefault(); // focuses a cell instead of the grid, since the arrow keys start from a cell
    view.goTo(view.active);
  });
  document.querySelector(".skip")?.after(skip);
  /** Replaces the server's table. Called when the first rows have arrived; until then the table stays in view. */
  const showGrid = () => {
    table.replaceWith(grid);
    panel.classList.remove("waiting");
  };
  const load = createLoader(page, tools, showGrid);
  const first = panel.dataset["first"];
  void load(settings.rowsUrl, first ? (JSON.parse(first) as PageOfRows) : undefined);
  const reload = (query: string, keepsOutcome = false) => {
    tools.startLoading(keepsOutcome);
    sheet.clear();
    frame.scrollTop = 0;
    view.active = { row: 0, column: view.leadingCount };
    view.anchor = view.active;
    void load(`${settings.base}/rows${query}`);
  };
  bindReasons(reload);
  followStates(page);
}

/**
 * Choosing a reason loads its rows into the same grid, so that the scroll position and the keyboard focus stay. `choose` gets the page's
 * query, such as `?kind=activities&reason=...`.
 */
function bindReasons(choose: (query: string) => void): void {
  const chips = [...document.querySelectorAll<HTMLAnchorElement>("[data-reasons] a[data-reason]")];
  const mark = () => {
    const reason = new URLSearchParams(location.search).get("reason") ?? "";
    for (const chip of chips) chip.ariaCurrent = chip.dataset["reason"] === reason ? "true" : null;
  };
  for (const chip of chips)
    chip.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (chip.hasAttribute("aria-current")) return;
      history.pushState(null, "", chip.href);
      mark();
      choose(location.search);
    });
  addEventListener("popstate", () => {
    mark();
    choose(location.search);
  });
}

/** The most rows that the grid loads. */
const maxLoadedRows = 10_000;

interface PageOfRows {
  readonly rows: readonly ServedRow[];
  readonly references: Readonly<Record<string, string>>;
  readonly next: string | null;
}

/** Returns a function that loads all rows, page by page. A later call ends an earlier one. `first`: the first page, if the HTML has it. */
function createLoader({ sheet, view, references, say }: CorrectionPage, tools: Tools, showGrid: () => void) {
  let latestLoad = 0;
  return async (address: string, first?: PageOfRows): Promise<void> => {
    latestLoad += 1;
    const thisLoad = latestLoad;
    let cursor: string | null | undefined;
    try {
      while (cursor !== null && sheet.rows.length < maxLoadedRows) {
        const suffix = cursor === undefined ? "" : `${address.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
        const page: PageOfRows = (cursor === undefined && first) || (await askServerWithRetries(address + suffix));
        if (thisLoad !== latestLoad) return;
        const areFirst = sheet.rows.length === 0 && page.rows.length > 0;
        for (const [importId, reference] of Object.entries(page.references)) references.set(importId, reference);
        showGrid();
        tools.chooseColumns(page.rows, areFirst);
        sheet.add(page.rows);
        if (areFirst) view.refresh();
        cursor = page.next;
      }
    } catch (error) {
      if (thisLoad !== latestLoad) return;
      showGrid();
      say(error instanceof RequestRefused ? error.message : "The rows could not be loaded. Reload the page.");
    }
    tools.endLoading(cursor === null);
  };
}

for (const panel of document.querySelectorAll<HTMLElement>("#corrections")) start(panel);
for (const group of document.querySelectorAll<HTMLElement>("[data-rove]")) roveIn(group);
