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

    add(stream: string, entry: IndexEntry): void {
      const known = entries.get(stream);
      if (known) known.push(entry);
      else entries.set(stream, [entry]);
      count += 1;
    },

    /** In the order of their revisions; all of them come after those in the index. */
    of: (stream: string): readonly IndexEntry[] => entries.get(stream) ?? [],

    *all(): Generator<[string, IndexEntry]> {
      for (const [stream, known] of entries) for (const entry of known) yield [stream, entry];
    },

    clear(): void {
      entries.clear();
      count = 0;
    },
  };
}
