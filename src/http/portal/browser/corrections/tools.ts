// The buttons above the grid, the status line, and the numbers beside tabs and reasons.
import { count, headingOf } from "./changes.js";
import { cellsToReplace } from "./manyCells.js";
import { type Change, type GridRow, neededColumns, type ServedRow, usedFields } from "./rows.js";
import { dismiss, reopen, submitReady } from "./sending.js";
import type { CorrectionPage } from "./view.js";

const dateOrders = { dayFirst: "day first", monthFirst: "month first" };

/** Changes that rewrite the faulty dates of open rows in the given order. Skips dates that a person has changed. */
const dateChanges = (rows: readonly GridRow[], order: string): Change[] =>
  rows.flatMap((row) =>
    Object.entries(row.served.dates ?? {}).flatMap(([field, { [order]: value }]) =>
      value !== undefined && row.closure === undefined && !row.changed.has(field) ? [{ row, field, value }] : [],
    ),
  );

export type Tools = ReturnType<typeof bindTools>;

export function bindTools(panel: HTMLElement, page: CorrectionPage) {
  const { sheet, edits, view, settings } = page;
  const status = panel.querySelector<HTMLElement>("[data-status]");
  const button = (name: string) => panel.querySelector<HTMLButtonElement>(`[data-do="${name}"]`);
  const fieldsInUse = new Set<string>();
  let isLoading = true;
  let isComplete = true;
  let isBusy = false;
  let isScheduled = false;
  let message = "";
  let isVisited = false;
  view.grid.addEventListener("focusin", () => {
    isVisited = true;
  });

  const counts = followCounts(page);
  const buttonUpdates: (() => void)[] = [];
  /** Binds a button that changes many cells together. Its label says how many. The button is hidden while there are none. */
  const bindButton = (target: HTMLButtonElement | null, verb: string, changes: () => Change[], label: (cells: number) => string) => {
    target?.addEventListener("click", () => {
      const wantedChanges = changes();
      page.say(`${verb} ${count(wantedChanges.length - sheet.change(wantedChanges), "cell")}.`);
    });
    buttonUpdates.push(() => {
      const cells = changes().length;
      if (target) Object.assign(target, { hidden: cells === 0, textContent: label(cells) });
    });
  };
  for (const [order, words] of Object.entries(dateOrders)) {
    const changes = () => dateChanges(sheet.rows, order);
    bindButton(button(order), "Read", changes, (cells) => `Read ${count(cells, "date")} as ${words}`);
  }
  for (const nearButton of document.querySelectorAll<HTMLButtonElement>("[data-find]")) {
    const { find = "", replacement = "" } = nearButton.dataset;
    const changes = () => cellsToReplace(sheet, { field: "customerId", find, replacement, wholeCells: true });
    bindButton(nearButton, "Replaced", changes, (cells) => `${count(cells, "row")}: ${find}, did you mean ${replacement}?`);
  }

  const showStatus = () => {
    isScheduled = false;
    counts.refresh();
    for (const show of buttonUpdates) show();
    const changed = sheet.rows.filter((row) => row.changed.size > 0 && row.closure === undefined).length;
    const ticked = sheet.rows.filter((row) => row.ticked).length;
    const all = sheet.rows.length;
    const shown = isComplete ? `${all} ${all === 1 ? "row" : "rows"}` : `First ${all} rows: choose a reason or an import to see the others`;
    const amounts: [number, string][] = [
      [ticked, "selected"],
      [changed, "changed"],
      [edits.countRows() > changed ? edits.countRows() : 0, "changed and not submitted in all filters"],
      [sheet.readyGroups().flat().length, "ready to submit"],
      [sheet.unjudged.size, "being checked"],
    ];
    const parts = amounts.flatMap(([amount, what]) => (amount === 0 ? [] : [`${amount} ${what}`]));
    const text = `${[isLoading ? `${all} rows so far` : shown, ...parts].join(", ")}.${message === "" ? "" : ` ${message}`}`;
    if (status && status.textContent !== text) status.textContent = text;
  };
  const refresh = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(showStatus, 100);
  };
  page.say = (text) => {
    message = text;
    refresh();
  };

  /** The ticked rows, or the active row if none is ticked, with all lines of their shipments. */
  const selectedRows = (): GridRow[] => {
    const ticked = sheet.rows.filter((row) => row.ticked);
    const active = sheet.rows[view.active.row];
    const rows = ticked.length > 0 ? ticked : isVisited && active ? [active] : [];
    return [...new Set(rows.flatMap((row) => sheet.groupOf(row)))];
  };
  /** Runs `work` when the button is clicked, unless other work still runs. */
  const onClick = (name: string, work: () => Promise<void>) =>
    button(name)?.addEventListener("click", async () => {
      if (isBusy) return;
      isBusy = true;
      await work().finally(() => {
        isBusy = false;
        refresh();
        view.refresh();
      });
    });
  onClick("submit", () => submitReady(page));
  onClick("dismiss", () => dismiss(selectedRows(), page));
  onClick("reopen", () => reopen(selectedRows(), page));

  const showsAll = () => button("columns")?.getAttribute("aria-pressed") === "true";
  const showAll = (pressed: boolean) => {
    button("columns")?.setAttribute("aria-pressed", String(pressed));
    view.showColumns(pressed ? settings.columns : neededColumns(settings.columns, fieldsInUse));
  };
  button("columns")?.addEventListener("click", () => showAll(!showsAll()));
  panel.querySelector<HTMLFormElement>("[data-set]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const rows = sheet.rows.filter(({ ticked, closure }) => ticked && closure === undefined);
    if (rows.length === 0) return page.say("Select the rows first.");
    const { column = "", value = "" } = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>;
    sheet.change(rows.map((row) => ({ row, field: column, value })));
    return page.say(`Set ${count(rows.length, "cell")} in ${headingOf(column, settings.columns)}.`);
  });

  return {
    refresh,
    /** Shows the columns that these rows use. Rows that load later add columns, but not after a person has begun to work in the grid. */
    chooseColumns: (rows: readonly ServedRow[], areFirst: boolean) => {
      if (areFirst) fieldsInUse.clear();
      const before = fieldsInUse.size;
      for (const field of usedFields(rows)) fieldsInUse.add(field);
      if (areFirst || (fieldsInUse.size > before && !isVisited && !showsAll())) showAll(false);
    },
    /** Called when other rows start to load. Resets the status line. `keepsOutcome`: leaves the outcome of a submission in view. */
    startLoading: (keepsOutcome = false) => {
      counts.keep();
      isLoading = true;
      message = "";
      if (!keepsOutcome) page.showOutcome();
      refresh();
    },
    /** Called when loading ends. `allLoaded`: false if there are more rows than the grid holds, or loading failed. */
    endLoading: (allLoaded: boolean) => {
      isLoading = false;
      isComplete = allLoaded;
      showStatus();
    },
  };
}

const numberFormat = new Intl.NumberFormat("en-AU");

/** The state under which a row is counted. A row that was reopened on this page counts as open. */
const countedState = ({ closure }: GridRow): string => (closure === undefined || closure.state === "open again" ? "open" : closure.state);

/** Updates the numbers beside tabs and reasons when rows change on the page, since the server's tables follow a moment later. */
function followCounts({ sheet, settings }: CorrectionPage) {
  const links = [...document.querySelectorAll<HTMLElement>("a[data-rows]")];
  /** How much a number has changed since the rows were loaded. `moved`: the rows that are no longer in the state that the page lists. */
  const changeOf = ({ state, kind, reason }: DOMStringMap, moved: readonly GridRow[]): number => {
    if (state !== undefined && state !== settings.state) return moved.filter((row) => countedState(row) === state).length;
    if (kind !== undefined && kind !== settings.kind) return 0;
    return -(reason ? moved.filter(({ served }) => served.reasonKey === reason) : moved).length;
  };
  /** Each link with its current number. */
  const numbers = () => {
    const moved = sheet.rows.filter((row) => countedState(row) !== settings.state);
    return links.map((link) => [link, Math.max(0, Number(link.dataset["rows"]) + changeOf(link.dataset, moved))] as const);
  };
  return {
    refresh: () => {
      for (const [link, rows] of numbers()) {
        const [amount, text] = [link.querySelector(".amount"), numberFormat.format(rows)];
        if (amount && amount.textContent !== text) amount.textContent = text;
      }
    },
    /** Saves the current numbers, before other rows replace these. */
    keep: () => {
      for (const [{ dataset }, rows] of numbers()) dataset["rows"] = String(rows);
    },
  };
}
