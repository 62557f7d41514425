// Asks the server which rows were closed or reopened: of the rows in view, the changed rows and the submitted rows. Asks when an import of
// the organisation has changed, when the page becomes visible, and every ten seconds while the page is visible.
import { follow } from "../eventSource.js";
import type { ClosedRow, GridRow, RowClosure } from "./rows.js";
import { askServer } from "./server.js";
import { keyOf } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

const pollMs = 10_000;
const eventDelayMs = 200;
const maxRows = 500;

type RowState = ClosedRow & { readonly importId: string };

export function followStates({ sheet, view, settings }: CorrectionPage): void {
  const { base, liveUrl, state } = settings;
  let isAsking = false;
  let mustAskAgain = false;
  let eventTimer: ReturnType<typeof setTimeout> | undefined;
  const checkStates = async () => {
    mustAskAgain = isAsking; // the answer that is on its way may be older than the change that this call is for
    if (isAsking || document.visibilityState !== "visible" || sheet.rows.length === 0) return;
    const followed = sheet.rows.filter((row) => row.changed.size > 0 || row.closure?.state === "submitted");
    const rows = [...new Set([...view.rowsInView(), ...followed])].slice(0, maxRows);
    if (rows.length === 0) return; // the browser has not drawn the rows yet
    isAsking = true;
    try {
      const names = rows.map(({ served: { importId, row } }) => ({ importId, row }));
      const answer = await askServer<{ rows: readonly RowState[] }>(`${base}/states`, { rows: names });
      const changes = answer.rows.flatMap(({ importId, row: number, ...serverClosure }) => {
        const row = sheet.byKey.get(keyOf(importId, number));
        return row && hasChanged(row, serverClosure, state) ? [[row, closureOf(row, serverClosure)] as const] : [];
      });
      if (changes.length > 0) sheet.setClosures(changes);
    } catch {
      // The next call asks again. Until then the server refuses a submission of closed rows.
    } finally {
      isAsking = false;
      if (mustAskAgain) void checkStates();
    }
  };
  const checkAgain = () => void checkStates();
  addEventListener("focus", checkAgain);
  document.addEventListener("visibilitychange", checkAgain);
  setInterval(checkAgain, pollMs);
  follow({
    address: () => liveUrl,
    onMessage: () => {
      clearTimeout(eventTimer);
      eventTimer = setTimeout(checkAgain, eventDelayMs);
    },
  });
}

const maxLagMs = 30_000;

/** Whether the page must take over the server's state of a row. The server may lag: for `maxLagMs`, what was done on this page stands. */
function hasChanged({ closure: pageClosure }: GridRow, serverClosure: RowClosure, shownState: string): boolean {
  const before = pageClosure?.state === "open again" ? "dismissed" : "open";
  if (pageClosure?.doneAtMs !== undefined && serverClosure.state === before && performance.now() - pageClosure.doneAtMs < maxLagMs)
    return false;
  if (pageClosure) pageClosure.doneAtMs = undefined;
  // After an undone dismissal, the page of open rows shows the row as open. The page of dismissed rows keeps showing it as `open again`.
  if (serverClosure.state === "open") return pageClosure !== undefined && (pageClosure.state !== "open again" || shownState === "open");
  return pageClosure?.state !== serverClosure.state || pageClosure.otherId !== serverClosure.otherId;
}

function closureOf({ closure: pageClosure }: GridRow, serverClosure: RowClosure): RowClosure | undefined {
  if (serverClosure.state === "open") return undefined;
  const isOwn = pageClosure?.by === "you" && serverClosure.otherId !== null && pageClosure.otherId === serverClosure.otherId;
  return isOwn ? { ...serverClosure, by: "you" } : serverClosure;
}
