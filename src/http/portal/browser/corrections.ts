// The page of rejected rows: takes over those that came with it, loads the others, and puts the parts together.
import { count } from "./corrections/changes.js";
import { controlGrid } from "./corrections/control.js";
import { keptEdits } from "./corrections/edits.js";
import { judgeChanges } from "./corrections/judging.js";
import { rowStatus, type ServedRow, type Settings } from "./corrections/rows.js";
import { sayRecorded } from "./corrections/sending.js";
import { askServerAgain, RequestRefused } from "./corrections/server.js";
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
  const edits = keptEdits(settings.owner);
  const sheet = createSheet(settings.kind, edits);
  const references = new Map<string, string>();
  const given = { sheet, edits, settings, references };
  const view = createView(frame, grid, given);
  const page: CorrectionPage = {
    ...given,
    view,
    change: (changes) => {
      const left = sheet.change(changes);
      if (left > 0)
        page.say(`${count(left, "cell was", "cells were")} not changed: their rows are no longer open, or are being submitted.`);
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
  /** Shows the whole problem of the active row, since its cell may be too narrow. */
  const showProblem = () => {
    const row = sheet.rows[view.active.row];
    if (!row) return problem.replaceChildren();
    const { importId, row: number } = row.served;
    const text = `Row ${number} of ${references.get(importId) ?? importId}: ${rowStatus(row, sheet.touched(row)).text} `;
    if (problem.firstChild?.textContent === text) return;
    const linkTo = (path: string, label: string) => element("a", { href: `${settings.importBase}/${path}` }, label);
    const other = row.closure?.otherId ? [linkTo(row.closure.otherId, "Open that import"), " "] : [];
    problem.replaceChildren(text, ...other, linkTo(`${importId}/history?row=${number}`, `History of row ${number}`));
  };
  sheet.onChange = () => {
    view.refresh();
    tools.refresh();
    judge();
    // Lines of a shipment stay: an open line may yet be given the shipment id of one that was recorded, which the grid refuses.
    if (sayRecorded() && settings.kind === "activities") setTimeout(() => reload(location.search, true));
    showProblem();
  };
  grid.addEventListener("focusin", ({ target }) => {
    if (target === grid) view.goTo(view.active);
    else showProblem();
  });
  const skip = element("a", { class: "skip", href: `#${grid.id}` }, "Skip to the rows");
  skip.addEventListener("click", (event) => {
    event.preventDefault(); // the grid itself is no cell: the arrow keys work from one
    view.goTo(view.active);
  });
  document.querySelector(".skip")?.after(skip);
  /** The rows of the page stay until the grid has rows too. */
  const takeOver = () => {
    table.replaceWith(grid);
    panel.classList.remove("waiting");
  };
  const load = createLoading(page, tools, takeOver);
  const first = panel.dataset["first"];
  void load(settings.rowsUrl, first ? (JSON.parse(first) as PageOfRows) : undefined);
  const reload = (query: string, keepsOutcome = false) => {
    tools.loading(keepsOutcome);
    sheet.clear();
    frame.scrollTop = 0;
    view.active = { row: 0, column: view.leading };
    view.anchor = view.active;
    void load(`${settings.base}/rows${query}`);
  };
  bindReasons(reload);
  followStates(page);
}

/**
 * Choosing a reason shows its rows in the same grid: the page, its place and the keyboard's focus stay where they are. `choose` gets the page's
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

/** The most rows that one sheet holds. */
const mostLoaded = 10_000;

interface PageOfRows {
  readonly rows: readonly ServedRow[];
  readonly references: Readonly<Record<string, string>>;
  readonly next: string | null;
}

/** Rows come page by page, in the background, until other rows are wanted. `first`: the first page, if it is there already. */
function createLoading({ sheet, view, references, say }: CorrectionPage, tools: Tools, takeOver: () => void) {
  let loads = 0;
  return async (address: string, first?: PageOfRows): Promise<void> => {
    loads += 1;
    const own = loads;
    let cursor: string | null | undefined;
    try {
      while (cursor !== null && sheet.rows.length < mostLoaded) {
        const more = cursor === undefined ? "" : `${address.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
        const page: PageOfRows = (cursor === undefined && first) || (await askServerAgain(address + more));
        if (own !== loads) return;
        const areFirst = sheet.rows.length === 0 && page.rows.length > 0;
        for (const [importId, reference] of Object.entries(page.references)) references.set(importId, reference);
        takeOver();
        tools.chooseColumns(page.rows, areFirst);
        sheet.add(page.rows);
        if (areFirst) view.refresh();
        cursor = page.next;
      }
    } catch (error) {
      if (own !== loads) return;
      takeOver();
      say(error instanceof RequestRefused ? error.message : "The rows could not be loaded. Reload the page.");
    }
    tools.loaded(cursor === null);
  };
}

for (const panel of document.querySelectorAll<HTMLElement>("#corrections")) start(panel);
for (const group of document.querySelectorAll<HTMLElement>("[data-rove]")) roveIn(group);
