import type { IndexEntry } from "./storage.js";

export type Unindexed = ReturnType<typeof createUnindexed>;

/**
 * Where the latest blocks are, by stream, until the index has them: streams are entered there in no order at all, so each entry alone
 * would rewrite a page of it, and many together share pages. Not too many: whoever appends meanwhile waits.
 */
export function createUnindexed() {
  const entries = new Map<string, IndexEntry[]>();
  let count = 0;

  return {
    count: () => count,

    add(key: string, entry: IndexEntry): void {
      const known = entries.get(key);
      if (known) known.push(entry);
      else entries.set(key, [entry]);
      count += 1;
    },

    /** In the order of their revisions; all of them come after those in the index. */
    of: (key: string): readonly IndexEntry[] => entries.get(key) ?? [],

    *all(): Generator<[string, IndexEntry]> {
      for (const [key, known] of entries) for (const entry of known) yield [key, entry];
    },

    clear(): void {
      entries.clear();
      count = 0;
    },
  };
}
