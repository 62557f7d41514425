// Asks the server whether another person has taken a row: for the rows in view and the changed ones, when an import of the organisation begins
// or ends, when the page becomes visible, and every few seconds while it is visible.
import { follow } from "../eventSource.js";
import type { ClosedRow, Row, RowClosure } from "./rows.js";
import { askServer } from "./server.js";
import { keyOf } from "./sheet.js";
import type { Grid } from "./view.js";

const everyMs = 10_000;
const soonMs = 200;
const most = 500;

type RowState = ClosedRow & { readonly importId: string };

export function followStates({ sheet, view, settings }: Grid): void {
  const { base, liveUrl, state } = settings;
  let isAsking = false;
  let wanted = false;
  let soon: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    wanted = isAsking; // the answer on its way may be older than what this look is for
    if (isAsking || document.visibilityState !== "visible" || sheet.rows.length === 0) return;
    const rows = new Set(view.rowsInView());
    for (const row of sheet.rows) {
      if (rows.size >= most) break;
      if (row.changed.size > 0 || row.closure?.state === "submitted") rows.add(row);
    }
    if (rows.size === 0) return; // rows that just came are drawn with the next frame
    isAsking = true;
    try {
      const answer = await askServer<{ rows: readonly RowState[] }>(`${base}/states`, {
        rows: [...rows].slice(0, most).map(({ sent: { importId, row } }) => ({ importId, row })),
      });
      const changes: [Row, RowClosure | undefined][] = [];
      for (const { importId, row: number, ...closure } of answer.rows) {
        const row = sheet.byKey.get(keyOf(importId, number));
        if (!row) continue;
        if (agree(row.closure, closure)) {
          // A dismissal that was undone on the page of open rows: the row is one of them again.
          if (state === "open" && row.closure?.state === "open again") changes.push([row, undefined]);
          continue;
        }
        if (tablesAreBehind(row.closure, closure)) continue;
        const still = row.closure?.by === "you" && closure.otherId !== null && row.closure.otherId === closure.otherId;
        changes.push([row, closure.state === "open" ? undefined : still ? { ...closure, by: "you" } : closure]);
      }
      if (changes.length > 0) sheet.setClosures(changes);
    } catch {
      // Asked again soon; a row that is taken is refused when it is sent.
    } finally {
      isAsking = false;
      if (wanted) void look();
    }
  };
  const lookAgain = () => void look();
  addEventListener("focus", lookAgain);
  document.addEventListener("visibilitychange", lookAgain);
  setInterval(lookAgain, everyMs);
  follow({
    address: () => liveUrl,
    onMessage: () => {
      clearTimeout(soon);
      soon = setTimeout(lookAgain, soonMs);
    },
  });
}

/** For each change that was made on this page: when the tables first answered without it, or 0 once they have shown it. */
const awaited = new WeakMap<RowClosure, number>();
const patienceMs = 30_000;

/** Whether the tables say what the page shows. A row that was reopened on this page stays on it as `open again`. */
function agree(known: RowClosure | undefined, found: RowClosure): boolean {
  if (known === undefined || known.state === "open again") {
    if (known && found.state === "open") awaited.set(known, 0);
    return found.state === "open";
  }
  const shown = known.otherId === found.otherId && (known.otherId !== null || known.state === found.state);
  if (shown) awaited.set(known, 0);
  return shown && known.state === found.state;
}

/**
 * Whether the tables may lack a change that was just made on this page. They are believed once they have shown the change, or after a while. If
 * another person has taken the row, that is shown at once.
 */
function tablesAreBehind(known: RowClosure | undefined, found: RowClosure): boolean {
  const before = known?.state === "open again" ? "dismissed" : "open";
  if (known?.by !== "you" || found.state !== before) return false;
  const since = awaited.get(known) ?? performance.now();
  awaited.set(known, since);
  return since > 0 && performance.now() - since < patienceMs;
}
