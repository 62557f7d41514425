// The words of a question and of its answer.
import { ANY, type AppendExpectedRevision, BACKWARDS, type Direction, FORWARDS, NO_STREAM, STREAM_EXISTS } from "@eventstore/db-client";

export interface Words {
  verb: string;
  first?: string;
  at?: string;
  in?: string;
  from?: string;
  max?: string;
  size?: string;
  where?: string;
  window?: string;
  /** The expected answer, and how many events it has. */
  hoped: string;
  count: number;
}

/** Splits `append ab at 3 in x` into a verb, an optional word and pairs of a name and a value. */
export function wordsOf(question: string): Omit<Words, "hoped" | "count"> {
  const [verb = "", ...rest] = question.trim().split(/\s+/);
  const words: Record<string, string> = {};
  const pairs = ["at", "in", "from", "max", "size", "where", "window"];
  while (rest.length > 0) {
    const word = rest.shift() as string;
    if (pairs.includes(word)) words[word] = rest.shift() as string;
    else if (words["first"] === undefined) words["first"] = word;
    else throw new Error(`what is "${word}" in "${question}"?`);
  }
  return { verb, ...words };
}

export function revisionOf(word = "any"): AppendExpectedRevision {
  const named: Record<string, AppendExpectedRevision> = { any: ANY, none: NO_STREAM, exists: STREAM_EXISTS };
  return named[word] ?? BigInt(word);
}

export const deleteRevisionOf = (word = "any"): typeof ANY | typeof NO_STREAM | bigint => {
  const revision = revisionOf(word);
  if (revision === STREAM_EXISTS) throw new Error("the client has no such delete");
  return revision;
};

export const directionOf = (backwards: boolean): Direction => (backwards ? BACKWARDS : FORWARDS);

export const fromOf = (word: string): "start" | "end" | bigint => (word === "start" || word === "end" ? word : BigInt(word));

/** Describes an error by the fields that applications read. */
export function faultOf(error: unknown): string {
  const { type, expectedVersion, actualVersion, maxAppendSize, message } = error as Record<string, unknown>;
  const plain = (version: unknown): string => String(version).replace("no_stream", "none").replace("stream_exists", "exists");
  if (type === "wrong-expected-version") return `wrong version: expected ${plain(expectedVersion)}, is ${plain(actualVersion)}`;
  if (type === "maximum-append-size-exceeded") return `larger than ${maxAppendSize}`;
  return typeof type === "string" ? type : `fault: ${message}`;
}
