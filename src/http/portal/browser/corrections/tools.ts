// The buttons above the grid, and what is said about it.
import { element } from "../element.js";
import { type Edits, type Row, type SentRow, type Settings, statusOf } from "./rows.js";
import { ask, Refused } from "./server.js";
import type { Sheet } from "./sheet.js";
import { chunksOf, type Outcome, readyGroups, submit } from "./submit.js";
import type { View } from "./view.js";

export interface Tools {
  readonly say: (text: string) => void;
  readonly refresh: () => void;
  /** By import: its name. */
  readonly references: Map<string, string>;
  /** Shows the columns that these rows use. */
  readonly chooseColumns: (rows: readonly SentRow[]) => void;
  /** All rows are there, or as many as one sheet holds. */
  readonly loaded: (all: boolean) => void;
}

interface Parts {
  readonly sheet: Sheet;
  readonly edits: Edits;
  readonly view: View;
  readonly settings: Settings;
}

export function bindTools(panel: HTMLElement, { sheet, edits, view, settings }: Parts): Tools {
  const status = panel.querySelector<HTMLElement>("[data-status]");
  const outcomeBox = panel.querySelector<HTMLElement>("[data-outcome]");
  const button = (name: string) => panel.querySelector<HTMLButtonElement>(`[data-do="${name}"]`);
  const references = new Map<string, string>();
  let used: ReadonlySet<string> = new Set();
  let isLoading = true;
  let hasAll = true;
  let isBusy = false;
  let isScheduled = false;
  let message = "";
  let isVisited = false;
  view.grid.addEventListener("focusin", () => {
    isVisited = true;
  });

  const describe = () => {
    isScheduled = false;
    const changed = sheet.rows.filter((row) => row.changed.size > 0 && row.held === undefined).length;
    const selected = sheet.rows.filter((row) => row.selected).length;
    const ready = readyGroups(sheet).reduce((sum, group) => sum + group.length, 0);
    const count = sheet.rows.length;
    const parts = [
      isLoading
        ? `${count} rows so far`
        : hasAll
          ? `${count} ${count === 1 ? "row" : "rows"}`
          : `The first ${count} rows: choose a reason or an import for the others`,
      ...(selected > 0 ? [`${selected} selected`] : []),
      ...(changed > 0 ? [`${changed} changed`] : []),
      ...(ready > 0 ? [`${ready} ready to submit`] : []),
      ...(sheet.unjudged.size > 0 ? [`${sheet.unjudged.size} being checked`] : []),
    ];
    const text = `${parts.join(", ")}.${message === "" ? "" : ` ${message}`}`;
    if (status && status.textContent !== text) status.textContent = text;
  };
  const refresh = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(describe, 100);
  };
  const say = (text: string) => {
    message = text;
    refresh();
  };

  /** Whole shipments; the row that is worked on where none is selected. */
  const chosen = (): Row[] => {
    const picked = sheet.rows.filter(({ selected }) => selected);
    const active = sheet.rows[view.active.row];
    const meant = picked.length > 0 ? picked : isVisited && active ? [active] : [];
    return [...new Set(meant.flatMap((row) => sheet.together(row)))];
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

  const dismissOrReopen = (what: "dismiss" | "reopen", note: string) =>
    whileBusy(async () => {
      const from = what === "dismiss" ? [undefined, "open again"] : ["dismissed"];
      const rows = chosen().filter(({ held }) => from.includes(held?.state));
      if (rows.length === 0) return say("Select the rows first.");
      let done = 0;
      const wanted = new Set(rows);
      for (const chunk of chunksOf(sheet.groups(rows).map((group) => group.filter((row) => wanted.has(row))))) {
        const part = chunk.flat();
        const importId = part[0]?.sent.importId ?? "";
        const numbers = part.map(({ sent }) => sent.row);
        try {
          await ask(`${settings.base}/rows/${what}`, { importId, rows: numbers, ...(what === "dismiss" ? { note } : {}) });
          const held = { state: what === "dismiss" ? "dismissed" : "open again", otherId: null, by: "you", note };
          sheet.hold(part.map((row) => [row, held]));
          if (what === "dismiss") edits.forget(part);
          done += part.length;
        } catch (error) {
          if (error instanceof Refused) sheet.holdAs(importId, error.closed);
          say(error instanceof Error ? error.message : "That did not work. Try again.");
        }
      }
      if (done > 0) say(`${done === 1 ? "1 row is" : `${done} rows are`} ${what === "dismiss" ? "dismissed" : "open again"}.`);
    });

  const showOutcome = ({ sent, taken, faults }: Outcome) => {
    const kept = sheet.rows.filter((row) => row.changed.size > 0 && row.held === undefined);
    const faulty = kept.filter((row) => sheet.together(row).some(({ verdict }) => verdict !== null)).length;
    const unsent = kept.length - faulty;
    const rows = sent.reduce((sum, each) => sum + each.rows, 0);
    const line = (...content: readonly (Node | string)[]) => element("li", {}, ...content);
    const items = sent.map(({ importId, rows: count }) => {
      const link = element("a", { href: `${settings.importBase}/${importId}` }, `import ${importId}`);
      return line(`${count} ${count === 1 ? "row" : "rows"} sent as `, link);
    });
    if (taken > 0) items.push(line(`${taken} ${taken === 1 ? "row was" : "rows were"} taken by somebody else first: see the rows.`));
    const keptHere = (count: number) => `${count} changed ${count === 1 ? "row is" : "rows are"} kept here`;
    if (unsent > 0) items.push(line(`${keptHere(unsent)} and can be submitted again.`));
    if (faulty > 0) items.push(line(`${keptHere(faulty)}: ${faulty === 1 ? "it still has a problem" : "they still have problems"}.`));
    for (const fault of faults) items.push(line(fault));
    const [kind, role] = rows > 0 ? ["done", "status"] : ["error", "alert"];
    const title = rows === 0 ? "Nothing was sent." : `${rows} ${rows === 1 ? "row is" : "rows are"} submitted.`;
    outcomeBox?.replaceChildren(element("div", { class: `notice ${kind}`, role }, element("p", {}, title), element("ul", {}, ...items)));
  };
  const submitReady = () =>
    whileBusy(async () => {
      message = "";
      if (sheet.unjudged.size > 0) await judgedOrLate(sheet);
      const ready = readyGroups(sheet);
      if (ready.length === 0) {
        const wrong = sheet.rows.filter(
          (row) => (row.selected || row.changed.size > 0) && statusOf(row, sheet.touched(row)).kind === "wrong",
        ).length;
        return say(
          wrong > 0
            ? `Nothing is ready: ${wrong} ${wrong === 1 ? "row still has a problem" : "rows still have problems"}.`
            : "Change or select the rows to submit first.",
        );
      }
      showOutcome(await submit(sheet, edits, settings.base));
    });

  const showAll = (pressed: boolean) => {
    button("columns")?.setAttribute("aria-pressed", String(pressed));
    view.showColumns(pressed ? settings.columns : settings.columns.filter(({ name, required }) => required || used.has(name)));
  };
  const setColumn = panel.querySelector<HTMLSelectElement>("#set-column");
  const setValue = panel.querySelector<HTMLInputElement>("#set-value");
  panel.querySelector("[data-set]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const rows = sheet.rows.filter(({ selected, held }) => selected && held === undefined);
    if (rows.length === 0) return say("Select the rows first.");
    sheet.change(rows.map((row) => ({ row, field: setColumn?.value ?? "", value: setValue?.value ?? "" })));
    return say(`Set in ${rows.length} ${rows.length === 1 ? "row" : "rows"}.`);
  });
  panel.querySelector("[data-dismiss]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    void dismissOrReopen("dismiss", panel.querySelector<HTMLInputElement>("#dismiss-note")?.value ?? "");
  });
  button("reopen")?.addEventListener("click", () => void dismissOrReopen("reopen", ""));
  button("submit")?.addEventListener("click", () => void submitReady());
  button("columns")?.addEventListener("click", () => showAll(button("columns")?.getAttribute("aria-pressed") !== "true"));

  return {
    say,
    refresh,
    references,
    chooseColumns: (rows) => {
      used = new Set(
        rows.flatMap(({ values, faulty, today }) => [
          ...Object.entries(values).flatMap(([name, value]) => (value.trim() === "" ? [] : [name])),
          ...faulty,
          ...(today?.faulty ?? []),
        ]),
      );
      showAll(false);
    },
    loaded: (whole) => {
      isLoading = false;
      hasAll = whole;
      describe();
    },
  };
}

const patienceMs = 15_000;
const lookMs = 100;

/** Waits until all changed rows are judged, or until the time is up. */
async function judgedOrLate(sheet: Sheet): Promise<void> {
  for (const until = performance.now() + patienceMs; sheet.unjudged.size > 0 && performance.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, lookMs));
}
