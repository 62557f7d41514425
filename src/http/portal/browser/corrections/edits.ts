// Unsent edits, kept in this browser until they are sent: they outlive a reload and a sign-out. The key names the member, so that another
// person who signs in here does not see them.
import type { Row } from "./rows.js";

export type Edits = ReturnType<typeof keptEdits>;

export function keptEdits(owner: string) {
  const prefix = `waybill correction ${owner} `;
  const kept = new Map<string, Record<string, string>>();
  let isFull = false;
  for (const key of storedKeys(prefix)) {
    const values = storedValues(key);
    if (values) kept.set(key.slice(prefix.length), values);
  }
  /** Storage may be full, or switched off: edits then last as long as the page. */
  const store = (write: () => void) => {
    try {
      write();
    } catch {
      if (!isFull) edits.onFull();
      isFull = true;
    }
  };
  const edits = {
    /** What was kept for a row. */
    of: (key: string): Readonly<Record<string, string>> | undefined => kept.get(key),
    /** Keeps the rows' edits as they are now. */
    keep: (rows: Iterable<Row>) => {
      for (const { key, changed } of rows) {
        if (changed.size === 0) edits.forget([{ key }]);
        else {
          const values = Object.fromEntries(changed);
          kept.set(key, values);
          store(() => localStorage.setItem(prefix + key, JSON.stringify(values)));
        }
      }
    },
    /** Of how many rows edits are kept, whichever rows the page shows. */
    rows: (): number => kept.size,
    /** Deletes the edits of rows that were sent. */
    forget: (rows: Iterable<Pick<Row, "key">>) => {
      for (const { key } of rows) if (kept.delete(key)) store(() => localStorage.removeItem(prefix + key));
    },
    /** Is called once when the browser has no more room. */
    onFull: (): void => undefined,
  };
  return edits;
}

/** None where storage is switched off. */
function storedKeys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

/** Undefined for a damaged entry; the other entries are still used. */
function storedValues(key: string): Record<string, string> | undefined {
  try {
    const values: unknown = JSON.parse(localStorage.getItem(key) ?? "");
    const isRecord = typeof values === "object" && values !== null && Object.values(values).every((value) => typeof value === "string");
    return isRecord ? (values as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}
