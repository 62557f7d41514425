// The buttons above the grid, and what is said about it.

import { count, headingOf } from "./changes.js";
import { followCounts } from "./counts.js";
import { cellsToReplace } from "./manyCells.js";
import { type Change, neededColumns, type Row, type SentRow, usedFields } from "./rows.js";
import { dismiss, reopen, submitReady } from "./sending.js";
import type { Grid } from "./view.js";

const orders = { dayFirst: "day first", monthFirst: "month first" };

/** Dates that still stand as they were sent. */
const datesRead = (rows: readonly Row[], order: string): Change[] =>
  rows.flatMap((row) =>
    Object.entries(row.sent.dates ?? {}).flatMap(([field, { [order]: value }]) =>
      value !== undefined && row.closure === undefined && !row.changed.has(field) ? [{ row, field, value }] : [],
    ),
  );

export type Tools = ReturnType<typeof bindTools>;

export function bindTools(panel: HTMLElement, grid: Grid) {
  const { sheet, edits, view, settings } = grid;
  const status = panel.querySelector<HTMLElement>("[data-status]");
  const outcomeBox = panel.querySelector<HTMLElement>("[data-outcome]");
  const button = (name: string) => panel.querySelector<HTMLButtonElement>(`[data-do="${name}"]`);
  const used = new Set<string>();
  let isLoading = true;
  let hasAll = true;
  let isBusy = false;
  let isScheduled = false;
  let message = "";
  let isVisited = false;
  view.grid.addEventListener("focusin", () => {
    isVisited = true;
  });

  const counts = followCounts(grid);
  /** What is offered for many cells at once. Its button says for how many. */
  const offers = [
    ...Object.entries(orders).map(([order, words]) => ({
      offer: button(order),
      verb: "Read",
      changes: () => datesRead(sheet.rows, order),
      label: (cells: number) => `Read ${count(cells, "date")} as ${words}`,
    })),
    ...[...document.querySelectorAll<HTMLButtonElement>("[data-find]")].map((offer) => {
      const { find = "", replacement = "" } = offer.dataset;
      return {
        offer,
        verb: "Replaced",
        changes: () =>
          cellsToReplace(sheet, { field: "customerId", find, replacement, whole: true }).map((each) => ({ ...each, value: each.after })),
        label: (cells: number) => `${count(cells, "row")}: ${find}, did you mean ${replacement}?`,
      };
    }),
  ];
  const describeOffers = () => {
    for (const { offer, changes, label } of offers) {
      const cells = changes().length;
      if (!offer) continue;
      offer.hidden = cells === 0;
      offer.textContent = label(cells);
    }
  };

  const describe = () => {
    isScheduled = false;
    counts.refresh();
    describeOffers();
    const changed = sheet.rows.filter((row) => row.changed.size > 0 && row.closure === undefined).length;
    const selected = sheet.rows.filter((row) => row.selected).length;
    const all = sheet.rows.length;
    const shown = hasAll ? `${all} ${all === 1 ? "row" : "rows"}` : `First ${all} rows: choose a reason or an import to see the others`;
    const amounts: [number, string][] = [
      [selected, "selected"],
      [changed, "changed"],
      [edits.rows() > changed ? edits.rows() : 0, "changed and not submitted in all filters"],
      [sheet.ready().flat().length, "ready to submit"],
      [sheet.unjudged.size, "being checked"],
    ];
    const parts = amounts.flatMap(([amount, what]) => (amount === 0 ? [] : [`${amount} ${what}`]));
    const text = `${[isLoading ? `${all} rows so far` : shown, ...parts].join(", ")}.${message === "" ? "" : ` ${message}`}`;
    if (status && status.textContent !== text) status.textContent = text;
  };
  const refresh = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(describe, 100);
  };
  grid.say = (text) => {
    message = text;
    refresh();
  };

  /** Whole shipments; the row that is worked on where none is selected. */
  const chosen = (): Row[] => {
    const selected = sheet.rows.filter((row) => row.selected);
    const active = sheet.rows[view.active.row];
    const rows = selected.length > 0 ? selected : isVisited && active ? [active] : [];
    return [...new Set(rows.flatMap((row) => sheet.together(row)))];
  };
  const whileBusy = async (work: () => Promise<void>) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await work();
    } finally {
      isBusy = false;
      refresh();
      view.refresh();
    }
  };

  const showAll = (pressed: boolean) => {
    button("columns")?.setAttribute("aria-pressed", String(pressed));
    view.showColumns(pressed ? settings.columns : neededColumns(settings.columns, used));
  };
  const setColumn = panel.querySelector<HTMLSelectElement>("#set-column");
  const setValue = panel.querySelector<HTMLInputElement>("#set-value");
  panel.querySelector("[data-set]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const rows = sheet.rows.filter(({ selected, closure }) => selected && closure === undefined);
    if (rows.length === 0) return grid.say("Select the rows first.");
    const field = setColumn?.value ?? "";
    sheet.change(rows.map((row) => ({ row, field, value: setValue?.value ?? "" })));
    return grid.say(`Set ${count(rows.length, "cell")} in ${headingOf(field, settings.columns)}.`);
  });
  button("dismiss")?.addEventListener("click", () => void whileBusy(() => dismiss(chosen(), grid, outcomeBox)));
  button("reopen")?.addEventListener("click", () => void whileBusy(() => reopen(chosen(), grid)));
  for (const { offer, verb, changes } of offers)
    offer?.addEventListener("click", () => {
      const wanted = changes();
      grid.say(`${verb} ${count(wanted.length - sheet.change(wanted), "cell")}.`);
    });
  button("submit")?.addEventListener("click", () => void whileBusy(() => submitReady(grid, outcomeBox)));
  button("columns")?.addEventListener("click", () => showAll(button("columns")?.getAttribute("aria-pressed") !== "true"));

  return {
    refresh,
    /** Shows the columns that these rows use. Later rows add theirs until somebody works in the grid, whose columns then stay in place. */
    chooseColumns: (rows: readonly SentRow[], areFirst: boolean) => {
      if (areFirst) used.clear();
      const before = used.size;
      for (const field of usedFields(rows)) used.add(field);
      const showsAll = button("columns")?.getAttribute("aria-pressed") === "true";
      if (areFirst || (used.size > before && !isVisited && !showsAll)) showAll(false);
    },
    /** Rows are on their way. */
    loading: (keepsOutcome = false) => {
      counts.refresh();
      counts.keep();
      isLoading = true;
      message = "";
      if (!keepsOutcome) outcomeBox?.replaceChildren();
      refresh();
    },
    /** All rows are there, or as many as one sheet holds. */
    loaded: (whole: boolean) => {
      isLoading = false;
      hasAll = whole;
      describe();
    },
  };
}
