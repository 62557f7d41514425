// Decides an append as EventStoreDB does, by the revision that it expects and the ids of its events.

export type ExpectedRevision = "any" | "no_stream" | "stream_exists" | number;

export type AppendDecision =
  | { kind: "append" }
  /** The stream has these events already: the append is acknowledged again, with the revision of the last of them. */
  | { kind: "replay"; revision: number }
  | Refusal;

export type Refusal = { kind: "wrongVersion"; current: number } | { kind: "deleted" };

/** What is known of the stream at the moment of the decision. */
export interface StreamFacts {
  /** The revision of the last event. -1 if there is none. */
  head: number;
  tombstoned: boolean;
  softDeleted: boolean;
  hasMetadata: boolean;
  /** The revision of a recently appended event by its id. Undefined if the id was first appended to another stream. */
  recentRevision(id: string): number | undefined;
  /** The ids of the stream's committed events from this revision on, in order. */
  idsFrom(revision: number): Iterable<string>;
}

const wrongVersion = ({ head }: StreamFacts): Refusal => ({ kind: "wrongVersion", current: head });

/** `ids` is called only if the decision depends on the ids. */
export function checkRevision(expected: ExpectedRevision, ids: () => readonly string[], stream: StreamFacts): AppendDecision {
  if (stream.tombstoned) return { kind: "deleted" };
  if (expected === "stream_exists") {
    if (stream.softDeleted) return { kind: "deleted" };
    if (stream.head < 0 && !stream.hasMetadata) return wrongVersion(stream);
  }
  if (expected === "any" || expected === "stream_exists") return replayFromMemory(ids(), stream);
  const expectedHead = expected === "no_stream" ? -1 : expected;
  if (expectedHead === stream.head) return { kind: "append" };
  return expectedHead > stream.head ? wrongVersion(stream) : replayFromStream(expectedHead, ids(), stream);
}

function replayFromMemory(ids: readonly string[], stream: StreamFacts): AppendDecision {
  let last: number | undefined;
  for (const [index, id] of ids.entries()) {
    last = stream.recentRevision(id);
    if (last === undefined) return index === 0 ? { kind: "append" } : wrongVersion(stream);
  }
  return last === undefined ? { kind: "append" } : { kind: "replay", revision: last };
}

function replayFromStream(expectedHead: number, ids: readonly string[], stream: StreamFacts): AppendDecision {
  if (ids.length === 0) return wrongVersion(stream);
  let matched = 0;
  for (const id of stream.idsFrom(expectedHead + 1)) {
    if (id !== ids[matched]) break;
    matched += 1;
    if (matched === ids.length) return { kind: "replay", revision: expectedHead + matched };
  }
  const recreates = matched === 0 && expectedHead === -1 && stream.softDeleted; // a soft-deleted stream counts as missing
  return recreates ? { kind: "append" } : wrongVersion(stream);
}

/** About as many ids as EventStoreDB remembers. They are kept in two halves, so that the older half can be dropped as a whole. */
const MAX_RECENT_IDS = 160_000;

interface AppendedIds {
  readonly stream: string;
  readonly firstRevision: number;
  /** The ids of one append in one string, each between commas, which takes less memory than many strings. */
  readonly ids: string;
}

/**
 * Remembers the stream and revision of recently appended ids. As on EventStoreDB, an id that is appended to several streams counts only for
 * the first, and a restart forgets all ids. A look-up searches all texts, which takes milliseconds. That is good enough: an import appends
 * hundreds of thousands of ids, and hardly any is ever looked up.
 */
export function createRecentIds(maxIds = MAX_RECENT_IDS) {
  let olderHalf: AppendedIds[] = [];
  let newerHalf: AppendedIds[] = [];
  let count = 0;
  return {
    add(stream: string, firstRevision: number, ids: readonly string[]): void {
      newerHalf.push({ stream, firstRevision, ids: `,${ids.join()},` });
      count += ids.length;
      if (count >= maxIds / 2) [olderHalf, newerHalf, count] = [newerHalf, [], 0];
    },
    revisionOf(stream: string, id: string): number | undefined {
      const hasId = ({ ids }: AppendedIds) => ids.includes(`,${id},`);
      const append = olderHalf.find(hasId) ?? newerHalf.find(hasId);
      return append?.stream === stream ? append.firstRevision + append.ids.split(",").indexOf(id) - 1 : undefined;
    },
  };
}
