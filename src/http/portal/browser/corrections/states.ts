// Who has taken a row meanwhile: asked for the rows in view and the changed ones when the page is looked at again, and every few seconds
// while it is.
import { ask } from "./server.js";
import { keyOf, type Sheet } from "./sheet.js";
import type { Held } from "./types.js";
import type { View } from "./view.js";

const everyMs = 10_000;
const most = 500;

type RowState = Held & { readonly importId: string; readonly row: number };

export function followStates(sheet: Sheet, view: View, base: string): void {
  let asking = false;
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
  addEventListener("focus", () => void look());
  document.addEventListener("visibilitychange", () => void look());
  setInterval(() => void look(), everyMs);
}

const same = (held: Held | undefined, found: Held): boolean =>
  held === undefined ? found.state === "open" : held.state === found.state && held.otherId === found.otherId;
