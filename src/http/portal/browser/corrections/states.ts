// Asks the server whether another person has taken a row: for the rows in view and the changed ones, when an import of the organisation begins
// or ends, when the page becomes visible, and every few seconds while it is visible.
import { follow } from "../eventSource.js";
import type { ClosedRow, Row, RowClosure } from "./rows.js";
import { askServer } from "./server.js";
import { keyOf } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

const everyMs = 10_000;
const soonMs = 200;
const most = 500;

type RowState = ClosedRow & { readonly importId: string };

export function followStates({ sheet, view, settings }: CorrectionPage): void {
  const { base, liveUrl, state } = settings;
  let isAsking = false;
  let wanted = false;
  let soon: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    wanted = isAsking; // the answer on its way may be older than what this look is for
    if (isAsking || document.visibilityState !== "visible" || sheet.rows.length === 0) return;
    const followed = sheet.rows.filter((row) => row.changed.size > 0 || row.closure?.state === "submitted");
    const rows = [...new Set([...view.rowsInView(), ...followed])].slice(0, most);
    if (rows.length === 0) return; // rows that just came are drawn with the next frame
    isAsking = true;
    try {
      const names = rows.map(({ served: { importId, row } }) => ({ importId, row }));
      const answer = await askServer<{ rows: readonly RowState[] }>(`${base}/states`, { rows: names });
      const changes = answer.rows.flatMap(({ importId, row: number, ...found }) => {
        const row = sheet.byKey.get(keyOf(importId, number));
        return row && isNews(row, found, state) ? [[row, closureOf(row, found)] as const] : [];
      });
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

const patienceMs = 30_000;

/** Whether the tables say something else of the row than the page. They may not have what was just done here: it stays until they had the time. */
function isNews({ closure: known }: Row, found: RowClosure, shown: string): boolean {
  const before = known?.state === "open again" ? "dismissed" : "open";
  if (known?.since !== undefined && found.state === before && performance.now() - known.since < patienceMs) return false;
  if (known) known.since = undefined;
  // A dismissal that was undone: on the page of open rows the row is one of them again, on that of dismissed ones it stays as `open again`.
  if (found.state === "open") return known !== undefined && (known.state !== "open again" || shown === "open");
  return known?.state !== found.state || known.otherId !== found.otherId;
}

function closureOf({ closure: known }: Row, found: RowClosure): RowClosure | undefined {
  if (found.state === "open") return undefined;
  const isOwn = known?.by === "you" && found.otherId !== null && known.otherId === found.otherId;
  return isOwn ? { ...found, by: "you" } : found;
}
