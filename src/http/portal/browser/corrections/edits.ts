// Unsent edits, kept in this browser until they are sent: they outlive a reload and a sign-out. The key names the member, so that another
// person who signs in here does not see them.
import type { Row } from "./rows.js";

export type Edits = ReturnType<typeof keptEdits>;

export function keptEdits(owner: string) {
  const prefix = `waybill correction ${owner} `;
  const kept = new Map<string, Record<string, string>>();
  let isFull = false;
  try {
    for (const [key, text] of Object.entries<string>(localStorage)) {
      const values = key.startsWith(prefix) ? storedValues(text) : undefined;
      if (values) kept.set(key.slice(prefix.length), values);
    }
  } catch {
    // none where storage is switched off
  }
  const store = (key: string, values?: Record<string, string>) => {
    if (values) kept.set(key, values);
    else if (!kept.delete(key)) return;
    try {
      if (values) localStorage.setItem(prefix + key, JSON.stringify(values));
      else localStorage.removeItem(prefix + key);
    } catch {
      // Storage may be full, or switched off: edits then last as long as the page.
      if (!isFull) edits.onFull();
      isFull = true;
    }
  };
  const edits = {
    /** What was kept for a row. */
    of: (key: string): Readonly<Record<string, string>> | undefined => kept.get(key),
    /** Keeps the rows' edits as they are now. */
    keep: (rows: Iterable<Row>) => {
      for (const { key, changed } of rows) store(key, changed.size === 0 ? undefined : Object.fromEntries(changed));
    },
    /** Of how many rows edits are kept, whichever rows the page shows. */
    rows: (): number => kept.size,
    /** Deletes the edits of rows that were sent. */
    forget: (rows: Iterable<Row>) => {
      for (const { key } of rows) store(key);
    },
    /** Is called once when the browser has no more room. */
    onFull: (): void => undefined,
  };
  return edits;
}

/** Undefined for a damaged entry; the other entries are still used. */
function storedValues(text: string): Record<string, string> | undefined {
  try {
    const values: unknown = JSON.parse(text);
    const isRecord = typeof values === "object" && values !== null && Object.values(values).every((value) => typeof value === "string");
    return isRecord ? (values as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}
