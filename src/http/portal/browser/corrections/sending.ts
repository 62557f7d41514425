// What people do with rows: submit them, dismiss them, open them again. More than one row is asked about first, and so is every submission.
// Each import that is corrected gets one new import, or several for more than 500 rows.
import { ask as askPerson } from "../dialog.js";
import { element } from "../element.js";
import { changesOf, changesTable, count } from "./changes.js";
import { correctionOf, requestsOf } from "./judging.js";
import { importText, type Row, type RowClosure, rowStatus } from "./rows.js";
import { askServer, askServerAgain, isPassing, RequestRefused } from "./server.js";
import { isReady, type Sheet } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

/** Of one request that changes something. */
const mostBytes = 1_500_000;

type SendingResult = Awaited<ReturnType<typeof sendRows>>;

/**
 * Sends the rows, as many requests as they need. The rows of a request that is refused for some of them are sent again without those. `taken`:
 * rows that another person has taken meanwhile.
 */
async function sendRows(
  { sheet, edits }: CorrectionPage,
  groups: readonly Row[][],
  request: (importId: string, rows: readonly Row[]) => Promise<RowClosure>,
) {
  const [sent, faults]: [Row[], Set<string>] = [[], new Set()];
  let taken = 0;
  const waiting = requestsOf(groups, mostBytes);
  for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
    const rows = chunk.flat();
    const importId = rows[0]?.served.importId ?? "";
    try {
      const closure = await request(importId, rows);
      sheet.setClosures(rows.map((row) => [row, { ...closure, since: performance.now() }]));
      if (closure.state !== "open again") edits.forget(rows);
      sent.push(...rows);
    } catch (error) {
      const closed = error instanceof RequestRefused ? error.closed : [];
      if (closed.length === 0) faults.add(error instanceof RequestRefused ? error.message : "The server could not be reached. Try again.");
      sheet.closeRowsOf(importId, closed);
      taken += closed.length;
      const numbers = new Set(closed.map(({ row }) => row));
      const rest = chunk.filter((group) => !group.some((row) => numbers.has(row.served.row)));
      if (rest.length > 0 && rest.length < chunk.length) waiting.unshift(rest);
    }
  }
  return { rows: sent, taken, faults: [...faults] };
}

/** Sends what is ready, once the person has seen it. */
export async function submitReady(page: CorrectionPage): Promise<void> {
  const { sheet, references } = page;
  page.say("");
  if (sheet.unjudged.size > 0) await judgedOrLate(sheet);
  const ready = sheet.ready();
  if (ready.length === 0) {
    const wrong = sheet.rows.filter((row) => (row.ticked || row.changed.size > 0) && rowStatus(row, sheet.touched(row)).kind === "wrong");
    const still = wrong.length === 1 ? "row still has a problem" : "rows still have problems";
    return page.say(
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
      ...(changes.length === 0 ? [] : changesTable(changes, page)),
      ...(unchanged === 0 ? [] : [element("p", {}, `${count(unchanged, "row is", "rows are")} submitted unchanged.`)]),
    ],
    confirm: `Submit ${count(rows.length, "row")}`,
    isWide: true,
  });
  if (!isGiven) return;
  // Rows that another person has taken since they were shown stay.
  const outcome = await sendRows(page, ready.filter(isReady), (importId, some) => submit(page, importId, some));
  const told = outcomeOf(outcome, page);
  page.showOutcome(told);
  submitted = { rows: outcome.rows, told };
}

/** Idempotency keys. The same rows with the same values keep their key until the server has answered, so that sending them twice makes one import. */
const keys = new Map<string, string>();

async function submit({ sheet, settings }: CorrectionPage, from: string, rows: readonly Row[]): Promise<RowClosure> {
  const lock = (sending: boolean) => {
    for (const row of rows) row.sending = sending;
    sheet.onChange();
  };
  const content = { importId: from, rows: rows.map(correctionOf) };
  const name = JSON.stringify(content);
  const key = keys.get(name) ?? crypto.randomUUID();
  keys.set(name, key);
  lock(true);
  try {
    const made = await askServerAgain<{ importId: string; name: string }>(`${settings.base}/submit`, { ...content, key });
    keys.delete(name);
    return { state: "submitted", otherId: made.importId, otherName: made.name, by: "you", note: null };
  } catch (error) {
    if (!isPassing(error)) keys.delete(name);
    throw error;
  } finally {
    lock(false);
  }
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
  const imports = Map.groupBy(rows, ({ served }) => served.importId);
  return `${[...imports].map(([importId, own]) => `${count(own.length, "row")} of ${references.get(importId) ?? importId}`).join(", ")}.`;
}

function outcomeOf({ rows, taken, faults }: SendingResult, { sheet, settings: { importBase } }: CorrectionPage): HTMLElement {
  const kept = sheet.rows.filter((row) => row.changed.size > 0 && row.closure === undefined);
  const faulty = kept.filter((row) => sheet.together(row).some(({ verdict }) => verdict)).length; // not a row that is still being checked
  const unsent = kept.length - faulty;
  const line = (...content: readonly (Node | string)[]) => element("li", {}, ...content);
  const items = [...Map.groupBy(rows, ({ closure }) => closure?.otherId ?? "")].map(([importId, own]) => {
    const name = importText(importId, own[0]?.closure?.otherName ?? null);
    return line(`${count(own.length, "row")}: `, element("a", { href: `${importBase}/${importId}` }, name));
  });
  if (taken > 0) items.push(line(closedRowsText(taken)));
  const keptHere = (number: number) => `${count(number, "changed row is", "changed rows are")} not submitted`;
  if (unsent > 0) items.push(line(`${keptHere(unsent)}. Submit again.`));
  if (faulty > 0) items.push(line(`${keptHere(faulty)}: ${faulty === 1 ? "it still has a problem" : "they still have problems"}.`));
  items.push(...faults.map((fault) => line(fault)));
  const [kind, role] = rows.length > 0 ? ["done", "status"] : ["error", "alert"];
  const title = rows.length === 0 ? "No rows were submitted." : `${count(rows.length, "row")} submitted.`;
  return element("div", { class: `notice ${kind}`, role }, element("p", {}, title), element("ul", {}, ...items));
}

/** Somebody else was first. The table says of each row who has it. */
const closedRowsText = (rows: number) => `${count(rows, "row is", "rows are")} no longer open. See the Problem column.`;

const patienceMs = 15_000;
const lookMs = 100;

/** Waits until all changed rows are judged, or until the time is up. */
async function judgedOrLate(sheet: Sheet): Promise<void> {
  for (const until = performance.now() + patienceMs; sheet.unjudged.size > 0 && performance.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, lookMs));
}

/** Asks, with a note, and offers to undo it. `chosen`: whole shipments. */
export async function dismiss(chosen: readonly Row[], page: CorrectionPage): Promise<void> {
  const rows = chosen.filter(({ closure }) => closure === undefined || closure.state === "open again");
  if (rows.length === 0) return page.say("Select the rows first.");
  const note = await askToDismiss(rows, page);
  if (note === undefined) return;
  const done = await changeState("dismissed", note, rows, page);
  if (done.length === 0) return;
  const undo = element("button", { type: "button", class: "quiet" }, "Undo");
  undo.addEventListener("click", () => {
    page.showOutcome();
    void changeState("open again", "", done, page);
  });
  const line = element("p", {}, `${count(done.length, "row")} dismissed. `, undo);
  page.showOutcome(element("div", { class: "notice done", role: "status" }, line));
}

export async function reopen(chosen: readonly Row[], page: CorrectionPage): Promise<void> {
  const rows = chosen.filter(({ closure }) => closure?.state === "dismissed");
  if (rows.length === 0) return page.say("Select the rows first.");
  await changeState("open again", "", rows, page);
}

/** Resolves with the rows that were changed. */
async function changeState(state: "dismissed" | "open again", note: string, rows: readonly Row[], page: CorrectionPage) {
  const wanted = new Set(rows);
  const groups = page.sheet.groups(rows).map((group) => group.filter((row) => wanted.has(row)));
  const address = `${page.settings.base}/rows/${state === "dismissed" ? "dismiss" : "reopen"}`;
  const done = await sendRows(page, groups, async (importId, some) => {
    await askServer(address, { importId, rows: some.map(({ served }) => served.row), note });
    return { state, otherId: null, otherName: null, by: "you", note };
  });
  const outcome = done.rows.length > 0 && state === "open again" ? [`${count(done.rows.length, "row")} reopened.`] : [];
  page.say([...outcome, ...(done.taken > 0 ? [closedRowsText(done.taken)] : []), ...done.faults].join(" "));
  return done.rows;
}

/** Resolves with the note; with nothing where the person has cancelled. */
async function askToDismiss(rows: readonly Row[], { references }: CorrectionPage): Promise<string | undefined> {
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
