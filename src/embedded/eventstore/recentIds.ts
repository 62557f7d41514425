/** As many as EventStoreDB remembers, roughly. Two halves, so that the older one can be dropped whole. */
const REMEMBERED = 160_000;

/** Which ids were appended lately, where to. Lost at a restart, as the server's own memory is. */
export function createRecentIds(remembered = REMEMBERED) {
  let young = new Map<string, { stream: string; revision: number }>();
  let old: typeof young = new Map();
  return {
    add(stream: string, id: string, revision: number): void {
      young.set(id, { stream, revision });
      if (young.size < remembered / 2) return;
      old = young;
      young = new Map();
    },
    revisionOf(stream: string, id: string): number | undefined {
      const found = young.get(id) ?? old.get(id);
      return found?.stream === stream ? found.revision : undefined;
    },
  };
}
