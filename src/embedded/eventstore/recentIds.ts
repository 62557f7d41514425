/** As many as EventStoreDB remembers, roughly. Two halves, so that the older one can be dropped whole. */
const REMEMBERED = 160_000;

/** The events of one append, which all their ids lead to. */
interface Run {
  stream: string;
  first: number;
  ids: readonly string[];
}

/** Which ids were appended lately, where to. Lost at a restart, as the server's own memory is. */
export function createRecentIds(remembered = REMEMBERED) {
  let young = new Map<string, Run>();
  let old: typeof young = new Map();
  return {
    /** `first` is the revision of the first of them. */
    add(stream: string, ids: readonly string[], first: number): void {
      const run = { stream, first, ids };
      for (const id of ids) young.set(id, run);
      if (young.size < remembered / 2) return;
      old = young;
      young = new Map();
    },
    revisionOf(stream: string, id: string): number | undefined {
      const run = young.get(id) ?? old.get(id);
      return run?.stream === stream ? run.first + run.ids.lastIndexOf(id) : undefined;
    },
  };
}
