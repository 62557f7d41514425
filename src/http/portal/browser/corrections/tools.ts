// The buttons above the grid, and what is said about it.
import { count, headingOf } from "./changes.js";
import { cellsToReplace } from "./manyCells.js";
import { type Change, neededColumns, type Row, type ServedRow, usedFields } from "./rows.js";
import { dismiss, reopen, submitReady } from "./sending.js";
import type { CorrectionPage } from "./view.js";

const orders = { dayFirst: "day first", monthFirst: "month first" };

/** Dates that are not changed. */
const datesRead = (rows: readonly Row[], order: string): Change[] =>
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

  const counts = followCounts(page);
  const showOffers: (() => void)[] = [];
  /** A button that changes many cells at once, and says how many. */
  const offer = (offered: HTMLButtonElement | null, verb: string, changes: () => readonly Change[], label: (cells: number) => string) => {
    offered?.addEventListener("click", () => {
      const wanted = changes();
      page.say(`${verb} ${count(wanted.length - sheet.change(wanted), "cell")}.`);
    });
    showOffers.push(() => {
      const cells = changes().length;
      if (offered) Object.assign(offered, { hidden: cells === 0, textContent: label(cells) });
    });
  };
  for (const [order, words] of Object.entries(orders)) {
    const changes = () => datesRead(sheet.rows, order);
    offer(button(order), "Read", changes, (cells) => `Read ${count(cells, "date")} as ${words}`);
  }
  for (const near of document.querySelectorAll<HTMLButtonElement>("[data-find]")) {
    const { find = "", replacement = "" } = near.dataset;
    const changes = () => cellsToReplace(sheet, { field: "customerId", find, replacement, whole: true });
    offer(near, "Replaced", changes, (cells) => `${count(cells, "row")}: ${find}, did you mean ${replacement}?`);
  }

  const describe = () => {
    isScheduled = false;
    counts.refresh();
    for (const show of showOffers) show();
    const changed = sheet.rows.filter((row) => row.changed.size > 0 && row.closure === undefined).length;
    const ticked = sheet.rows.filter((row) => row.ticked).length;
    const all = sheet.rows.length;
    const shown = hasAll ? `${all} ${all === 1 ? "row" : "rows"}` : `First ${all} rows: choose a reason or an import to see the others`;
    const amounts: [number, string][] = [
      [ticked, "selected"],
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
  page.say = (text) => {
    message = text;
    refresh();
  };

  /** Whole shipments; the row that is worked on where none is ticked. */
  const chosen = (): Row[] => {
    const ticked = sheet.rows.filter((row) => row.ticked);
    const active = sheet.rows[view.active.row];
    const rows = ticked.length > 0 ? ticked : isVisited && active ? [active] : [];
    return [...new Set(rows.flatMap((row) => sheet.together(row)))];
  };
  /** One at a time. */
  const onPress = (name: string, work: () => Promise<void>) =>
    button(name)?.addEventListener("click", async () => {
      if (isBusy) return;
      isBusy = true;
      await work().finally(() => {
        isBusy = false;
        refresh();
        view.refresh();
      });
    });
  onPress("submit", () => submitReady(page));
  onPress("dismiss", () => dismiss(chosen(), page));
  onPress("reopen", () => reopen(chosen(), page));

  const showsAll = () => button("columns")?.getAttribute("aria-pressed") === "true";
  const showAll = (pressed: boolean) => {
    button("columns")?.setAttribute("aria-pressed", String(pressed));
    view.showColumns(pressed ? settings.columns : neededColumns(settings.columns, used));
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
    /** Shows the columns that these rows use. Later rows add theirs until somebody works in the grid, whose columns then stay in place. */
    chooseColumns: (rows: readonly ServedRow[], areFirst: boolean) => {
      if (areFirst) used.clear();
      const before = used.size;
      for (const field of usedFields(rows)) used.add(field);
      if (areFirst || (used.size > before && !isVisited && !showsAll())) showAll(false);
    },
    /** Rows are on their way. */
    loading: (keepsOutcome = false) => {
      counts.keep();
      isLoading = true;
      message = "";
      if (!keepsOutcome) page.showOutcome();
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

const grouped = new Intl.NumberFormat("en-AU");

/** The state by which a row counts: one that was opened again here counts as open. */
const stateOf = ({ closure }: Row): string => (closure === undefined || closure.state === "open again" ? "open" : closure.state);

/** The numbers beside the tabs and reasons follow what happens to the rows on the page: the tables have it a moment later. */
function followCounts({ sheet, settings }: CorrectionPage) {
  const links = [...document.querySelectorAll<HTMLElement>("a[data-rows]")];
  /** How many rows more, or fewer, than when the page's rows were loaded. `moved`: those that no longer are what the page lists. */
  const changeOf = ({ state, kind, reason }: DOMStringMap, moved: readonly Row[]): number => {
    if (state !== undefined && state !== settings.state) return moved.filter((row) => stateOf(row) === state).length;
    if (kind !== undefined && kind !== settings.kind) return 0;
    return -(reason ? moved.filter(({ served }) => served.reasonKey === reason) : moved).length;
  };
  /** What each number is now. */
  const numbers = () => {
    const moved = sheet.rows.filter((row) => stateOf(row) !== settings.state);
    return links.map((link) => [link, Math.max(0, Number(link.dataset["rows"]) + changeOf(link.dataset, moved))] as const);
  };
  return {
    refresh: () => {
      for (const [link, rows] of numbers()) {
        const [amount, text] = [link.querySelector(".amount"), grouped.format(rows)];
        if (amount && amount.textContent !== text) amount.textContent = text;
      }
    },
    /** The rows are about to be replaced by others: what has happened so far is kept. */
    keep: () => {
      for (const [{ dataset }, rows] of numbers()) dataset["rows"] = String(rows);
    },
  };
}
