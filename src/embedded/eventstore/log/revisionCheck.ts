// What EventStoreDB answers to an append, by the revision it expects and the ids it brings.

export type ExpectedRevision = "any" | "no_stream" | "stream_exists" | number;

export type AppendDecision =
  | { kind: "append" }
  /** The stream has these events already: the append is acknowledged again, with the revision of the last of them. */
  | { kind: "replay"; revision: number }
  | Refusal;

export type Refusal = { kind: "wrongVersion"; current: number } | { kind: "deleted" };

/** What is known of the stream at the moment of the decision. */
export interface StreamFacts {
  /** -1 where it has no events. */
  head: number;
  tombstoned: boolean;
  softDeleted: boolean;
  hasMetadata: boolean;
  /** The revision of an id that was lately appended to this stream and to no other stream before. `any` and `stream_exists` are compared by it. */
  recentRevision(id: string): number | undefined;
  /** The ids of its committed events, in order. */
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
  const at = expected === "no_stream" ? -1 : expected;
  if (at === stream.head) return { kind: "append" };
  return at > stream.head ? wrongVersion(stream) : replayFromStream(at, ids(), stream);
}

function replayFromMemory(ids: readonly string[], stream: StreamFacts): AppendDecision {
  let last: number | undefined;
  for (const [index, id] of ids.entries()) {
    last = stream.recentRevision(id);
    if (last === undefined) return index === 0 ? { kind: "append" } : wrongVersion(stream);
  }
  return last === undefined ? { kind: "append" } : { kind: "replay", revision: last };
}

function replayFromStream(at: number, ids: readonly string[], stream: StreamFacts): AppendDecision {
  if (ids.length === 0) return wrongVersion(stream);
  let matched = 0;
  for (const id of stream.idsFrom(at + 1)) {
    if (id !== ids[matched]) break;
    matched += 1;
    if (matched === ids.length) return { kind: "replay", revision: at + matched };
  }
  const recreates = matched === 0 && at === -1 && stream.softDeleted; // a soft-deleted stream counts as missing
  return recreates ? { kind: "append" } : wrongVersion(stream);
}

/** About as many ids as EventStoreDB remembers. They are kept in two halves, so that the older half can be dropped whole. */
const REMEMBERED = 160_000;

/** The events that one append brought to a stream, and the revision of the first of them. */
interface Run {
  readonly stream: string;
  readonly first: number;
  /** All ids in one text, each between commas. It takes less memory than one text each. */
  readonly ids: string;
}

/**
 * The stream and revision of ids that were appended lately. As on EventStoreDB, an id that is appended to several streams counts only for
 * the first, and everything is forgotten at a restart. Looking one up takes milliseconds: an import appends hundreds of thousands of ids, and
 * hardly any is ever looked up.
 */
export function createRecentIds(mostIds = REMEMBERED) {
  let old: Run[] = [];
  let young: Run[] = [];
  let count = 0;
  return {
    add(stream: string, first: number, ids: readonly string[]): void {
      young.push({ stream, first, ids: `,${ids.join()},` });
      count += ids.length;
      if (count >= mostIds / 2) [old, young, count] = [young, [], 0];
    },
    revisionOf(stream: string, id: string): number | undefined {
      const has = ({ ids }: Run) => ids.includes(`,${id},`);
      const run = old.find(has) ?? young.find(has);
      return run?.stream === stream ? run.first + run.ids.split(",").indexOf(id) - 1 : undefined;
    },
  };
}
