// The numbers beside the tabs and reasons follow what happens to the rows on the page: the tables have it a moment later.
import type { Row, Settings } from "./rows.js";
import type { Sheet } from "./sheet.js";

const grouped = new Intl.NumberFormat("en-AU");

/** A number on the page: what it was when the page was made, or since the rows were last loaded. */
interface Counter {
  readonly show: (rows: number) => void;
  /** How many more, or fewer, than at first. */
  readonly change: (moved: Moved) => number;
  base: number;
  shown: number;
}

/** Rows that no longer are what the page lists. */
interface Moved {
  readonly all: number;
  readonly byReason: ReadonlyMap<string, number>;
  readonly toState: ReadonlyMap<string, number>;
}

export interface RowCounts {
  readonly refresh: () => void;
  /** The rows are about to be replaced by others: what has happened so far is kept. */
  readonly keep: () => void;
}

export function followCounts(sheet: Sheet, { state, kind }: Pick<Settings, "state" | "kind">): RowCounts {
  const counters = [
    ...found(
      "a[data-state]",
      ({ state: of }) =>
        (moved) =>
          of === state ? -moved.all : (moved.toState.get(of ?? "") ?? 0),
    ),
    ...found(
      "a[data-kind]",
      ({ kind: of }) =>
        (moved) =>
          of === kind ? -moved.all : 0,
    ),
    ...found(
      "a[data-reason]",
      ({ reason }) =>
        (moved) =>
          -(reason ? (moved.byReason.get(reason) ?? 0) : moved.all),
    ),
  ];
  return {
    refresh: () => {
      const moved = movedRows(sheet.rows, state);
      for (const counter of counters) {
        const rows = Math.max(0, counter.base + counter.change(moved));
        if (rows !== counter.shown) counter.show(rows);
        counter.shown = rows;
      }
    },
    keep: () => {
      for (const counter of counters) counter.base = counter.shown;
    },
  };
}

function found(selector: string, changeOf: (data: DOMStringMap) => Counter["change"]): Counter[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].map((element) => {
    const base = Number(element.dataset["rows"]);
    const show = (rows: number) => {
      const amount = element.querySelector(".amount");
      if (amount) amount.textContent = grouped.format(rows);
    };
    return { show, change: changeOf(element.dataset), base, shown: base };
  });
}

/** The state by which a row counts: one that was opened again here counts as open. */
const stateOf = ({ held }: Row): string => (held === undefined || held.state === "open again" ? "open" : held.state);

function movedRows(rows: readonly Row[], listed: string): Moved {
  const [byReason, toState] = [new Map<string, number>(), new Map<string, number>()];
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  let all = 0;
  for (const row of rows) {
    const state = stateOf(row);
    if (state === listed) continue;
    all += 1;
    add(byReason, row.sent.reasonKey);
    add(toState, state);
  }
  return { all, byReason, toState };
}
