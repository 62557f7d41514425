// The numbers beside the tabs and reasons follow what happens to the rows on the page: the tables have it a moment later.
import type { Row } from "./rows.js";
import type { CorrectionPage } from "./view.js";

const grouped = new Intl.NumberFormat("en-AU");

/** The state by which a row counts: one that was opened again here counts as open. */
const stateOf = ({ closure }: Row): string => (closure === undefined || closure.state === "open again" ? "open" : closure.state);

export function followCounts({ sheet, settings }: Pick<CorrectionPage, "sheet" | "settings">) {
  const links = [...document.querySelectorAll<HTMLElement>("a[data-rows]")];
  /** How many rows more, or fewer, than when the page's rows were loaded. `moved`: those that no longer are what the page lists. */
  const changeOf = ({ state, kind, reason }: DOMStringMap, moved: readonly Row[]): number => {
    if (state !== undefined && state !== settings.state) return moved.filter((row) => stateOf(row) === state).length;
    if (kind !== undefined && kind !== settings.kind) return 0;
    return -(reason ? moved.filter(({ sent }) => sent.reasonKey === reason) : moved).length;
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
