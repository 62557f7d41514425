// What people do with rows: submit them, dismiss them, open them again. More than one row is asked about first, and so is every submission.
import { ask as askPerson } from "../dialog.js";
import { element } from "../element.js";
import { changesOf, changesTable, count } from "./changes.js";
import { chunksOf } from "./judging.js";
import { importText, type Row, rowStatus } from "./rows.js";
import { askServer, RequestRefused } from "./server.js";
import type { Sheet } from "./sheet.js";
import { mostBytes, readyGroups, type SubmitOutcome, submit } from "./submit.js";
import type { Grid } from "./view.js";

/** Where the outcome is said. */
type Outcome = HTMLElement | null;

/** Sends what is ready, once the person has seen it. */
export async function submitReady(grid: Grid, outcomeBox: Outcome): Promise<void> {
  const { sheet, references } = grid;
  grid.say("");
  if (sheet.unjudged.size > 0) await judgedOrLate(sheet);
  const ready = readyGroups(sheet);
  if (ready.length === 0) {
    const wrong = sheet.rows.filter((row) => (row.selected || row.changed.size > 0) && rowStatus(row, sheet.touched(row)).kind === "wrong");
    const still = wrong.length === 1 ? "row still has a problem" : "rows still have problems";
    return grid.say(
      wrong.length > 0 ? `No rows are ready to submit: ${wrong.length} ${still}.` : "Change or select the rows to submit first.",
    );
  }
  const rows = ready.flat();
  const changes = changesOf(rows);
  const unchanged = rows.filter(({ changed }) => changed.size === 0).length;
  const isGiven = await askPerson({
    title: `Submit ${count(rows.length, "row")}?`,
    content: [
      element("p", {}, importsText(rows, references)),
      ...(changes.length === 0 ? [] : changesTable(changes, grid)),
      ...(unchanged === 0 ? [] : [element("p", {}, `${count(unchanged, "row is", "rows are")} submitted unchanged.`)]),
    ],
    confirm: `Submit ${count(rows.length, "row")}`,
    isWide: true,
  });
  if (!isGiven) return;
  const outcome = await submit(grid, ready);
  const told = outcomeOf(outcome, grid);
  outcomeBox?.replaceChildren(told);
  const own = new Set(outcome.sent.map(({ importId }) => importId));
  submitted = { rows: rows.filter(({ closure }) => own.has(closure?.otherId ?? "")), told };
}

/** What this page has submitted last. */
let submitted: { readonly rows: readonly Row[]; readonly told: HTMLElement } | undefined;

/** Says that the rows are recorded once all of them are. Returns true that once: the rows need not be shown any longer. */
export function sayRecorded(): boolean {
  const { rows, told } = submitted ?? { rows: [], told: undefined };
  if (!told || rows.length === 0 || rows.some(({ closure }) => closure?.state !== "corrected")) return false;
  submitted = undefined;
  const title = told.querySelector("p");
  if (title) title.textContent = `${count(rows.length, "row")} recorded.`;
  told.querySelector("ul")?.append(...nextReason());
  return true;
}

/** The reason with the most rows that are still open. */
function nextReason(): Node[] {
  const next = [...document.querySelectorAll<HTMLAnchorElement>("a[data-reason]")].find(
    (chip) => chip.dataset["reason"] !== "" && !chip.hasAttribute("aria-current") && chip.querySelector(".amount")?.textContent !== "0",
  );
  if (!next) return [];
  const link = element("a", { href: next.href }, `${next.querySelector(".chip-name")?.textContent ?? ""}`);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    next.click();
  });
  return [element("li", {}, "Next: ", link, ` (${next.querySelector(".amount")?.textContent ?? ""})`)];
}

/** `3 rows of monday.csv, 1 row of tuesday.csv`. */
function importsText(rows: readonly Row[], references: ReadonlyMap<string, string>): string {
  const counts = new Map<string, number>();
  for (const { sent } of rows) counts.set(sent.importId, (counts.get(sent.importId) ?? 0) + 1);
  return `${[...counts].map(([importId, each]) => `${count(each, "row")} of ${references.get(importId) ?? importId}`).join(", ")}.`;
}

function outcomeOf({ sent, taken, faults }: SubmitOutcome, { sheet, settings: { importBase } }: Grid): HTMLElement {
  const kept = sheet.rows.filter((row) => row.changed.size > 0 && row.closure === undefined);
  const faulty = kept.filter((row) => sheet.together(row).some(({ verdict }) => verdict)).length; // not a row that is still being checked
  const unsent = kept.length - faulty;
  const rows = sent.reduce((sum, each) => sum + each.rows, 0);
  const line = (...content: readonly (Node | string)[]) => element("li", {}, ...content);
  const items = sent.map(({ importId, name, rows: each }) =>
    line(`${count(each, "row")}: `, element("a", { href: `${importBase}/${importId}` }, importText(importId, name))),
  );
  if (taken > 0) items.push(line(notOpen(taken)));
  const keptHere = (number: number) => `${count(number, "changed row is", "changed rows are")} not submitted`;
  if (unsent > 0) items.push(line(`${keptHere(unsent)}. Submit again.`));
  if (faulty > 0) items.push(line(`${keptHere(faulty)}: ${faulty === 1 ? "it still has a problem" : "they still have problems"}.`));
  for (const fault of faults) items.push(line(fault));
  const [kind, role] = rows > 0 ? ["done", "status"] : ["error", "alert"];
  const title = rows === 0 ? "No rows were submitted." : `${count(rows, "row")} submitted.`;
  return element("div", { class: `notice ${kind}`, role }, element("p", {}, title), element("ul", {}, ...items));
}

/** Somebody else was first. The table says of each row who has it. */
const notOpen = (rows: number) => `${count(rows, "row is", "rows are")} no longer open. See the Problem column.`;

const patienceMs = 15_000;
const lookMs = 100;

/** Waits until all changed rows are judged, or until the time is up. */
async function judgedOrLate(sheet: Sheet): Promise<void> {
  for (const until = performance.now() + patienceMs; sheet.unjudged.size > 0 && performance.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, lookMs));
}

/** Asks, with a note, and offers to undo it. `chosen`: whole shipments. */
export async function dismiss(chosen: readonly Row[], grid: Grid, outcomeBox: Outcome): Promise<void> {
  const rows = chosen.filter(({ closure }) => closure === undefined || closure.state === "open again");
  if (rows.length === 0) return grid.say("Select the rows first.");
  const note = await askToDismiss(rows, grid);
  if (note === undefined) return;
  const done = await changeState("dismiss", note, rows, grid);
  if (done.length === 0) return;
  const undo = element("button", { type: "button", class: "quiet" }, "Undo");
  undo.addEventListener("click", () => {
    outcomeBox?.replaceChildren();
    void changeState("reopen", "", done, grid);
  });
  const line = element("p", {}, `${count(done.length, "row")} dismissed. `, undo);
  outcomeBox?.replaceChildren(element("div", { class: "notice done", role: "status" }, line));
}

export async function reopen(chosen: readonly Row[], grid: Grid): Promise<void> {
  const rows = chosen.filter(({ closure }) => closure?.state === "dismissed");
  if (rows.length === 0) return grid.say("Select the rows first.");
  await changeState("reopen", "", rows, grid);
}

/** Resolves with the rows that were changed. */
async function changeState(what: "dismiss" | "reopen", note: string, rows: readonly Row[], grid: Grid): Promise<readonly Row[]> {
  const { sheet, edits, settings } = grid;
  const done: Row[] = [];
  let closed = 0;
  const faults: string[] = [];
  const wanted = new Set(rows);
  const groups = sheet.groups(rows).map((group) => group.filter((row) => wanted.has(row)));
  for (const chunk of chunksOf(groups, mostBytes)) {
    const part = chunk.flat();
    const importId = part[0]?.sent.importId ?? "";
    const numbers = part.map(({ sent }) => sent.row);
    try {
      await askServer(`${settings.base}/rows/${what}`, { importId, rows: numbers, ...(what === "dismiss" ? { note } : {}) });
      const closure = { state: what === "dismiss" ? "dismissed" : "open again", otherId: null, otherName: null, by: "you", note };
      sheet.setClosures(part.map((row) => [row, closure]));
      if (what === "dismiss") edits.forget(part);
      done.push(...part);
    } catch (error) {
      const taken = error instanceof RequestRefused ? error.closed : [];
      sheet.closeRowsOf(importId, taken);
      closed += taken.length;
      if (taken.length === 0) faults.push(error instanceof RequestRefused ? error.message : "The server could not be reached. Try again.");
    }
  }
  const outcome = done.length > 0 && what === "reopen" ? [`${count(done.length, "row")} reopened.`] : [];
  grid.say([...outcome, ...(closed > 0 ? [notOpen(closed)] : []), ...new Set(faults)].join(" "));
  return done;
}

/** Resolves with the note; with nothing where the person has cancelled. */
async function askToDismiss(rows: readonly Row[], { references }: Grid): Promise<string | undefined> {
  const changed = rows.filter((row) => row.changed.size > 0).length;
  const note = element("input", { id: "dismiss-note", autocomplete: "off", maxlength: "1000" });
  const isGiven = await askPerson({
    title: `Dismiss ${count(rows.length, "row")}?`,
    content: [
      element("p", {}, importsText(rows, references)),
      element("p", {}, "Dismissed rows are not submitted. You can reopen them under Dismissed."),
      ...(changed === 0 ? [] : [element("p", {}, `${count(changed, "of them has", "of them have")} changes, which will be lost.`)]),
      element("div", { class: "field" }, element("label", { for: note.id }, "Note"), note),
    ],
    confirm: `Dismiss ${count(rows.length, "row")}`,
    isDangerous: true,
    focus: note,
  });
  return isGiven ? note.value.trim() : undefined;
}
