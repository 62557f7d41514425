// Stores unsent edits in this browser until they are submitted, so that they survive a reload and a sign-out. The storage key names the
// member, so that another person who signs in here does not see them.
import type { GridRow } from "./rows.js";

export type Edits = ReturnType<typeof storedEdits>;

export function storedEdits(owner: string) {
  const prefix = `waybill correction ${owner} `;
  const editsByKey = new Map<string, Record<string, string>>();
  let isFull = false;
  try {
    for (const [key, text] of Object.entries<string>(localStorage)) {
      const values = key.startsWith(prefix) ? storedValues(text) : undefined;
      if (values) editsByKey.set(key.slice(prefix.length), values);
    }
  } catch {
    // storage is switched off: there are no stored edits
  }
  const store = (key: string, values?: Record<string, string>) => {
    if (values) editsByKey.set(key, values);
    else if (!editsByKey.delete(key)) return;
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
    /** The stored edits of a row, by field. */
    get: (key: string): Readonly<Record<string, string>> | undefined => editsByKey.get(key),
    /** Stores the rows' current edits. */
    keep: (rows: Iterable<GridRow>) => {
      for (const { key, changed } of rows) store(key, changed.size === 0 ? undefined : Object.fromEntries(changed));
    },
    /** How many rows have stored edits, on this page or on others. */
    countRows: (): number => editsByKey.size,
    /** Deletes the stored edits of submitted rows. */
    forget: (rows: Iterable<GridRow>) => {
      for (const { key } of rows) store(key);
    },
    /** Called the first time that an edit cannot be stored. */
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
