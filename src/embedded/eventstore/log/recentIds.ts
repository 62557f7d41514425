/** About as many ids as EventStoreDB remembers. They are kept in two halves, so that the older half can be dropped whole. */
const REMEMBERED = 160_000;

/** The events that one append brought to a stream, and the revision of the first of them. */
interface Run {
  stream: string;
  first: number;
  /** All ids in one text, which takes less memory than one text each. */
  ids: string;
}

interface Half {
  count: number;
  places: Map<string, { stream: string; revision: number }>;
  /** Moved into `places` at the next look-up: an import appends hundreds of thousands of ids, and most are never looked up. */
  waiting: Run[];
}

const newHalf = (): Half => ({ count: 0, places: new Map(), waiting: [] });

/**
 * The stream and revision of ids that were appended lately. As on EventStoreDB, an id that is appended to several streams counts only for
 * the first, and everything is forgotten at a restart.
 */
export function createRecentIds(remembered = REMEMBERED) {
  let [old, young] = [newHalf(), newHalf()];
  return {
    add(stream: string, first: number, ids: readonly string[]): void {
      young.waiting.push({ stream, first, ids: ids.join() });
      young.count += ids.length;
      if (young.count >= remembered / 2) [old, young] = [young, newHalf()];
    },
    revisionOf(stream: string, id: string): number | undefined {
      const place = find(old, id) ?? find(young, id);
      return place?.stream === stream ? place.revision : undefined;
    },
  };
}

function find(half: Half, id: string) {
  for (const { stream, first, ids } of half.waiting)
    for (const [index, each] of ids.split(",").entries())
      if (!half.places.has(each)) half.places.set(each, { stream, revision: first + index });
  half.waiting = [];
  return half.places.get(id);
}
