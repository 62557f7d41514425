// Unsent edits, kept in this browser until they are sent: they outlive a reload and a sign-out. The key names the member, so that another
// person who signs in here does not see them.
import type { Edits, Row } from "./rows.js";

const atOnce = 100;

export function keptEdits(owner: string): Edits {
  const prefix = `waybill correction ${owner} `;
  const kept = new Map<string, Record<string, string>>();
  const waiting = new Set<Row>();
  let writing = false;
  let full = false;
  for (const key of storedKeys(prefix)) {
    const values = storedValues(key);
    if (values) kept.set(key.slice(prefix.length), values);
  }
  const edits: Edits = {
    of: (key) => kept.get(key),
    keep: (rows) => {
      for (const row of rows) {
        waiting.add(row);
        kept.set(row.key, Object.fromEntries(row.changed));
      }
      if (!writing) setTimeout(write);
      writing = true;
    },
    rows: () => [...kept.values()].filter((values) => Object.keys(values).length > 0).length,
    forget: (rows) => {
      for (const row of rows) {
        waiting.delete(row);
        kept.delete(row.key);
        try {
          localStorage.removeItem(prefix + row.key);
        } catch {
          // There is no storage, so nothing was kept.
        }
      }
    },
    onFull: () => undefined,
  };
  const writeOne = (row: Row) => {
    waiting.delete(row);
    try {
      if (row.changed.size === 0) localStorage.removeItem(prefix + row.key);
      else localStorage.setItem(prefix + row.key, JSON.stringify(Object.fromEntries(row.changed)));
    } catch {
      if (!full) edits.onFull();
      full = true;
    }
  };
  const write = () => {
    let count = 0;
    for (const row of waiting) {
      writeOne(row);
      count += 1;
      if (count === atOnce) break;
    }
    writing = waiting.size > 0;
    if (writing) setTimeout(write);
  };
  addEventListener("pagehide", () => {
    for (const row of waiting) writeOne(row);
  });
  return edits;
}

/** None where storage is switched off: edits then last as long as the page. */
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
