// Submits, dismisses and reopens rows. A person confirms each submission and dismissal first. A submission creates one new import for each
// import that it corrects, or several if the rows do not fit into one request.
import { ask as askPerson } from "../dialog.js";
import { element } from "../element.js";
import { changesOf, changesTable, count } from "./changes.js";
import { correctionOf, requestsOf } from "./judging.js";
import { type GridRow, importText, type RowClosure, rowStatus } from "./rows.js";
import { askServer, askServerWithRetries, isTemporary, RequestRefused } from "./server.js";
import { isReady, type Sheet } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

/** The largest body of a request that changes rows. */
const maxRequestBytes = 1_500_000;

type SendResult = Awaited<ReturnType<typeof sendRows>>;

/**
 * Sends the rows in as many requests as they need. If some rows of a request are no longer open, the others are sent again without them.
 * `closedCount`: how many rows were no longer open.
 */
async function sendRows(
  { sheet, edits }: CorrectionPage,
  groups: readonly GridRow[][],
  sendChunk: (importId: string, rows: readonly GridRow[]) => Promise<RowClosure>,
) {
  const [sent, faults]: [GridRow[], Set<string>] = [[], new Set()];
  let closedCount = 0;
  const pendingChunks = requestsOf(groups, maxRequestBytes);
  for (let chunk = pendingChunks.shift(); chunk; chunk = pendingChunks.shift()) {
    const rows = chunk.flat();
    const importId = rows[0]?.served.importId ?? "";
    try {
      const closure = await sendChunk(importId, rows);
      sheet.setClosures(rows.map((row) => [row, { ...closure, doneAtMs: performance.now() }]));
      if (closure.state !== "open again") edits.forget(rows);
      sent.push(...rows);
    } catch (error) {
      const closed = error instanceof RequestRefused ? error.closed : [];
      if (closed.length === 0) faults.add(error instanceof RequestRefused ? error.message : "The server could not be reached. Try again.");
      sheet.closeRowsOf(importId, closed);
      closedCount += closed.length;
      const numbers = new Set(closed.map(({ row }) => row));
      const rest = chunk.filter((group) => !group.some((row) => numbers.has(row.served.row)));
      if (rest.length > 0 && rest.length < chunk.length) pendingChunks.unshift(rest);
    }
  }
  return { rows: sent, closedCount, faults: [...faults] };
}

/** Submits all rows that are ready, after the person has confirmed their changes. */
export async function submitReady(page: CorrectionPage): Promise<void> {
  const { sheet, references } = page;
  page.say("");
  if (sheet.unjudged.size > 0) await waitForVerdicts(sheet);
  const ready = sheet.readyGroups();
  if (ready.length === 0) {
    const wrong = sheet.rows.filter((row) => (row.ticked || row.changed.size > 0) && rowStatus(row, sheet.isTouched(row)).kind === "wrong");
    const still = wrong.length === 1 ? "row still has a problem" : "rows still have problems";
    return page.say(
      wrong.length > 0 ? `No rows are ready to submit: ${wrong.length} ${still}.` : "Change or select the rows to submit first.",
    );
  }
  const rows = ready.flat();
  const changes = changesOf(rows);
  const unchanged = rows.filter(({ changed }) => changed.size === 0).length;
  const isConfirmed = await askPerson({
    title: `Submit ${count(rows.length, "row")}?`,
    content: [
      element("p", {}, importsText(rows, references)),
      ...(changes.length === 0 ? [] : changesTable(changes, page)),
      ...(unchanged === 0 ? [] : [element("p", {}, `${count(unchanged, "row is", "rows are")} submitted unchanged.`)]),
    ],
    confirm: `Submit ${count(rows.length, "row")}`,
    isWide: true,
  });
  if (!isConfirmed) return;
  // Some rows may have been closed while the dialog was open: their groups are not sent.
  const outcome = await sendRows(page, ready.filter(isReady), (importId, rowsToSend) => submit(page, importId, rowsToSend));
  const notice = outcomeOf(outcome, page);
  page.showOutcome(notice);
  lastSubmission = { rows: outcome.rows, notice };
}

/** Idempotency keys by content. Until the server answers, a content keeps its key, so that it creates one import even if sent twice. */
const idempotencyKeys = new Map<string, string>();

async function submit({ sheet, settings }: CorrectionPage, importId: string, rows: readonly GridRow[]): Promise<RowClosure> {
  const setSending = (sending: boolean) => {
    for (const row of rows) row.sending = sending;
    sheet.onChange();
  };
  const content = { importId, rows: rows.map(correctionOf) };
  const name = JSON.stringify(content);
  const key = idempotencyKeys.get(name) ?? crypto.randomUUID();
  idempotencyKeys.set(name, key);
  setSending(true);
  try {
    const created = await askServerWithRetries<{ importId: string; name: string }>(`${settings.base}/submit`, { ...content, key });
    idempotencyKeys.delete(name);
    return { state: "submitted", otherId: created.importId, otherName: created.name, by: "you", note: null };
  } catch (error) {
    if (!isTemporary(error)) idempotencyKeys.delete(name);
    throw error;
  } finally {
    setSending(false);
  }
}

/** The latest submission from this page, until all its rows are recorded. */
let lastSubmission: { readonly rows: readonly GridRow[]; readonly notice: HTMLElement } | undefined;

/** Called after every change. When all rows of the latest submission are recorded, tells the person, and returns true this one time. */
export function announceRecorded(): boolean {
  const { rows, notice } = lastSubmission ?? { rows: [], notice: undefined };
  if (!notice || rows.length === 0 || rows.some(({ closure }) => closure?.state !== "corrected")) return false;
  lastSubmission = undefined;
  const title = notice.querySelector("p");
  if (title) title.textContent = `${count(rows.length, "row")} recorded.`;
  notice.querySelector("ul")?.append(...nextReason());
  return true;
}

/** A link to the first other reason that still has open rows. */
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

/** A text such as `3 rows of monday.csv, 1 row of tuesday.csv.` */
function importsText(rows: readonly GridRow[], references: ReadonlyMap<string, string>): string {
  const imports = Map.groupBy(rows, ({ served }) => served.importId);
  return `${[...imports].map(([importId, importRows]) => `${count(importRows.length, "row")} of ${references.get(importId) ?? importId}`).join(", ")}.`;
}

function outcomeOf({ rows, closedCount, faults }: SendResult, { sheet, settings: { importBase } }: CorrectionPage): HTMLElement {
  const changedRows = sheet.rows.filter((row) => row.changed.size > 0 && row.closure === undefined);
  const faulty = changedRows.filter((row) => sheet.groupOf(row).some(({ verdict }) => verdict)).length; // without those being checked
  const unsent = changedRows.length - faulty;
  const line = (...content: readonly (Node | string)[]) => element("li", {}, ...content);
  const items = [...Map.groupBy(rows, ({ closure }) => closure?.otherId ?? "")].map(([importId, importRows]) => {
    const name = importText(importId, importRows[0]?.closure?.otherName ?? null);
    return line(`${count(importRows.length, "row")}: `, element("a", { href: `${importBase}/${importId}` }, name));
  });
  if (closedCount > 0) items.push(line(closedRowsText(closedCount)));
  const notSubmittedText = (number: number) => `${count(number, "changed row is", "changed rows are")} not submitted`;
  if (unsent > 0) items.push(line(`${notSubmittedText(unsent)}. Submit again.`));
  if (faulty > 0) items.push(line(`${notSubmittedText(faulty)}: ${faulty === 1 ? "it still has a problem" : "they still have problems"}.`));
  items.push(...faults.map((fault) => line(fault)));
  const [kind, role] = rows.length > 0 ? ["done", "status"] : ["error", "alert"];
  const title = rows.length === 0 ? "No rows were submitted." : `${count(rows.length, "row")} submitted.`;
  return element("div", { class: `notice ${kind}`, role }, element("p", {}, title), element("ul", {}, ...items));
}

/** Says how many rows were no longer open when they were sent. The grid shows for each row who closed it. */
const closedRowsText = (rows: number) => `${count(rows, "row is", "rows are")} no longer open. See the Problem column.`;

const maxVerdictWaitMs = 15_000;
const pollMs = 100;

/** Waits until all changed rows are judged, but not longer than `maxVerdictWaitMs`. */
async function waitForVerdicts(sheet: Sheet): Promise<void> {
  for (const end = performance.now() + maxVerdictWaitMs; sheet.unjudged.size > 0 && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, pollMs));
}

/** Dismisses rows after asking for a note, and offers to undo the dismissal. `selectedRows` has whole shipments. */
export async function dismiss(selectedRows: readonly GridRow[], page: CorrectionPage): Promise<void> {
  const rows = selectedRows.filter(({ closure }) => closure === undefined || closure.state === "open again");
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

export async function reopen(selectedRows: readonly GridRow[], page: CorrectionPage): Promise<void> {
  const rows = selectedRows.filter(({ closure }) => closure?.state === "dismissed");
  if (rows.length === 0) return page.say("Select the rows first.");
  await changeState("open again", "", rows, page);
}

/** Resolves with the rows that were changed. */
async function changeState(state: "dismissed" | "open again", note: string, rows: readonly GridRow[], page: CorrectionPage) {
  const rowSet = new Set(rows);
  const groups = page.sheet.groupsOf(rows).map((group) => group.filter((row) => rowSet.has(row)));
  const address = `${page.settings.base}/rows/${state === "dismissed" ? "dismiss" : "reopen"}`;
  const done = await sendRows(page, groups, async (importId, rowsToSend) => {
    await askServer(address, { importId, rows: rowsToSend.map(({ served }) => served.row), note });
    return { state, otherId: null, otherName: null, by: "you", note };
  });
  const outcome = done.rows.length > 0 && state === "open again" ? [`${count(done.rows.length, "row")} reopened.`] : [];
  page.say([...outcome, ...(done.closedCount > 0 ? [closedRowsText(done.closedCount)] : []), ...done.faults].join(" "));
  return done.rows;
}

/** Resolves with the note, or undefined if the person cancels. */
async function askToDismiss(rows: readonly GridRow[], { references }: CorrectionPage): Promise<string | undefined> {
  const changed = rows.filter((row) => row.changed.size > 0).length;
  const note = element("input", { id: "dismiss-note", autocomplete: "off", maxlength: "1000" });
  const isConfirmed = await askPerson({
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
  return isConfirmed ? note.value.trim() : undefined;
}
