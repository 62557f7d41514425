/** As many as EventStoreDB remembers, roughly. Two halves, so that the older one can be dropped whole. */
const REMEMBERED = 160_000;

/** The events that one append brought to a stream. */
interface Run {
  stream: string;
  first: number;
  ids: readonly string[];
}

interface Place {
  stream: string;
  revision: number;
}

/**
 * Where ids were appended lately. As in the server's own memory an id has one place among all streams, the first it was appended to,
 * and everything is forgotten at a restart.
 */
export function createRecentIds(remembered = REMEMBERED) {
  let young = createHalf();
  let old = createHalf();
  let count = 0;

  return {
    /** `first` is the revision of the first of them. */
    add(stream: string, ids: readonly string[], first: number): void {
      young.add({ stream, first, ids });
      count += ids.length;
      if (count < remembered / 2) return;
      old = young;
      young = createHalf();
      count = 0;
    },
    revisionOf(stream: string, id: string): number | undefined {
      const place = old.find(id) ?? young.find(id);
      return place?.stream === stream ? place.revision : undefined;
    },
  };
}

function createHalf() {
  const places = new Map<string, Place>();
  /** Entered at the first look-up: an import appends hundreds of thousands of ids, and most are never looked up. */
  let waiting: Run[] = [];

  return {
    add: (run: Run): void => void waiting.push(run),
    find(id: string): Place | undefined {
      if (waiting.length > 0) {
        for (const run of waiting) enter(places, run);
        waiting = [];
      }
      return places.get(id);
    },
  };
}

function enter(places: Map<string, Place>, { stream, first, ids }: Run): void {
  for (const [index, id] of ids.entries()) if (!places.has(id)) places.set(id, { stream, revision: first + index });
}
