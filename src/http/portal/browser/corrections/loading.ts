// Rows come page by page, in the background, up to what one sheet holds.
import { ask, Refused } from "./server.js";
import type { Sheet } from "./sheet.js";
import type { Tools } from "./tools.js";
import type { SentRow } from "./types.js";
import type { View } from "./view.js";

export const mostRows = 10_000;
const attempts = 5;
const waitMs = 1_000;

interface PageOfRows {
  readonly rows: readonly SentRow[];
  readonly references: Readonly<Record<string, string>>;
  readonly next: string | null;
}

export async function loadRows(address: string, sheet: Sheet, view: View, tools: Tools): Promise<void> {
  let cursor: string | null = "";
  for (let attempt = 1; cursor !== null && sheet.rows.length < mostRows; ) {
    try {
      const more: string = cursor === "" ? "" : `${address.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
      const page: PageOfRows = await ask(address + more);
      const first = sheet.rows.length === 0 && page.rows.length > 0;
      for (const [importId, reference] of Object.entries(page.references)) tools.references.set(importId, reference);
      if (first) tools.chooseColumns(page.rows);
      sheet.add(page.rows);
      if (first) view.refresh();
      cursor = page.next;
      attempt = 1;
    } catch (error) {
      if (attempt === attempts || (error instanceof Refused && error.status < 500)) {
        tools.say(error instanceof Refused ? error.message : "The rows could not be loaded. Reload the page.");
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs * attempt));
      attempt += 1;
    }
  }
  tools.loaded(cursor === null);
}
