// Who has taken a row meanwhile: asked for the rows in view and the changed ones when an import of the organisation begins or ends, when the
// page is looked at again, and every few seconds while it is.
import { ask } from "./server.js";
import { keyOf, type Sheet } from "./sheet.js";
import type { Held, Settings } from "./types.js";
import type { View } from "./view.js";

const everyMs = 10_000;
const soonMs = 200;
const most = 500;

type RowState = Held & { readonly importId: string; readonly row: number };

export function followStates(sheet: Sheet, view: View, { base, liveUrl }: Pick<Settings, "base" | "liveUrl">): void {
  let asking = false;
  let source: EventSource | undefined;
  let soon: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    if (asking || document.visibilityState !== "visible" || sheet.rows.length === 0) return;
    asking = true;
    const rows = new Set(view.rowsInView());
    for (const row of sheet.rows) {
      if (rows.size >= most) break;
      if (row.changed.size > 0 || row.held?.state === "submitted") rows.add(row);
    }
    const asked = [...rows].slice(0, most);
    try {
      const answer = await ask<{ rows: readonly RowState[] }>(`${base}/states`, {
        rows: asked.map(({ sent: { importId, row } }) => ({ importId, row })),
      });
      for (const { importId, row: number, ...held } of answer.rows) {
        const row = sheet.byKey.get(keyOf(importId, number));
        if (!row) continue;
        // What this page has just sent may not be in the tables yet.
        const known = row.held?.by === "you" && held.state === "open" && !settled.has(row.held.otherId ?? "");
        if (held.state !== "open") settled.add(held.otherId ?? "");
        if (known || same(row.held, held)) continue;
        sheet.hold(row, held.state === "open" ? undefined : row.held?.by === "you" ? { ...held, by: "you" } : held);
      }
    } catch {
      // Asked again soon; a row that is taken is refused when it is sent.
    } finally {
      asking = false;
    }
  };
  /** Imports that the tables have shown: if their rows are open after that, they came to nothing. */
  const settled = new Set<string>();
  const disconnect = () => {
    source?.close();
    source = undefined;
  };
  /** A hidden page needs no connection; a lost one is made again with the next look. */
  const connect = () => {
    if (document.visibilityState !== "visible") return disconnect();
    if (source) return;
    source = new EventSource(liveUrl);
    source.addEventListener("message", () => {
      clearTimeout(soon);
      soon = setTimeout(() => void look(), soonMs);
    });
    source.addEventListener("error", disconnect);
  };
  const lookAgain = () => {
    connect();
    void look();
  };
  addEventListener("focus", lookAgain);
  addEventListener("pagehide", disconnect);
  document.addEventListener("visibilitychange", lookAgain);
  setInterval(lookAgain, everyMs);
  connect();
}

const same = (held: Held | undefined, found: Held): boolean =>
  held === undefined ? found.state === "open" : held.state === found.state && held.otherId === found.otherId;
