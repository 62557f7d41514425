// The numbers beside the tabs and reasons follow what happens to the rows on the page: the tables have it a moment later.
import type { Row } from "./rows.js";
import type { Grid } from "./view.js";

const grouped = new Intl.NumberFormat("en-AU");

/** The state by which a row counts: one that was opened again here counts as open. */
const stateOf = ({ closure }: Row): string => (closure === undefined || closure.state === "open again" ? "open" : closure.state);

export function followCounts({ sheet, settings }: Pick<Grid, "sheet" | "settings">) {
  /** A number on the page: what it was when the page was made, or since the rows were last loaded. */
  const counters = [...document.querySelectorAll<HTMLElement>("a[data-rows]")].map((link) => ({
    link,
    base: Number(link.dataset["rows"]),
    shown: Number(link.dataset["rows"]),
  }));
  /** How many rows more, or fewer, than at first. `moved`: those that no longer are what the page lists. */
  const changeOf = ({ state, kind, reason }: DOMStringMap, moved: readonly Row[]): number => {
    if (state !== undefined && state !== settings.state) return moved.filter((row) => stateOf(row) === state).length;
    if (kind !== undefined && kind !== settings.kind) return 0;
    return -(reason ? moved.filter(({ sent }) => sent.reasonKey === reason) : moved).length;
  };
  return {
    refresh: () => {
      const moved = sheet.rows.filter((row) => stateOf(row) !== settings.state);
      for (const counter of counters) {
        const { link, base, shown } = counter;
        counter.shown = Math.max(0, base + changeOf(link.dataset, moved));
        const amount = link.querySelector(".amount");
        if (amount && counter.shown !== shown) amount.textContent = grouped.format(counter.shown);
      }
    },
    /** The rows are about to be replaced by others: what has happened so far is kept. */
    keep: () => {
      for (const counter of counters) counter.base = counter.shown;
    },
  };
}
