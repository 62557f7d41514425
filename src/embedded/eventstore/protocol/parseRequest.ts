import {
  MAX_INT64,
  MalformedMessage,
  messageReader,
  nestedReader,
  type Reader,
  readFlag,
  readInteger,
  readText,
  repeatedField,
  whenPresent,
} from "../../../adapters/eventStore/protocol/protobuf.js";
import type { Block } from "../log/blocks.js";
import { readStreamName } from "./appendRequests.js";
import { failedRead, notImplemented } from "./grpc.js";

interface ReadStart {
  /** Undefined for $all. */
  stream: string | undefined;
  from: "start" | "end" | number;
}

const readCommitAndPrepare = nestedReader(() => ({ commit: 0, prepare: 0 }), { 1: ["commit", readInteger], 2: ["prepare", readInteger] });

/** An event's two positions are equal here, so only the commit position is used. As on EventStoreDB it must not be the smaller one. */
function readPosition(reader: Reader): ReadStart["from"] {
  const { commit, prepare } = readCommitAndPrepare(reader);
  if (commit < prepare) throw failedRead("The commit position is before the prepare position.");
  return endOrNumber(commit);
}

/** Revisions and positions are sent as unsigned numbers. The largest one means the end. Others above int64's maximum are errors. */
function endOrNumber(value: number): ReadStart["from"] {
  if (value <= MAX_INT64) return value;
  if (value < 2 * MAX_INT64) throw failedRead("That is larger than any revision or position.");
  return "end";
}

const readStreamStart = nestedReader((): ReadStart => ({ stream: "", from: "start" }), {
  1: ["stream", readStreamName],
  2: ["from", (reader: Reader) => endOrNumber(readInteger(reader))],
  4: ["from", whenPresent("end")],
});
const readAllStart = nestedReader((): ReadStart => ({ stream: undefined, from: "start" }), {
  1: ["from", readPosition],
  3: ["from", whenPresent("end")],
});
const readIds = nestedReader(() => ({ structured: false }), { 1: ["structured", whenPresent(true)] });

const noOptions = {
  start: { stream: undefined, from: "start" } as ReadStart,
  backwards: false,
  limit: Number.MAX_SAFE_INTEGER,
  subscription: false,
  filter: undefined as EventFilter | undefined,
  resolveLinks: false,
  ids: { structured: false },
};
const readOptions = nestedReader(() => ({ ...noOptions }), {
  1: ["start", readStreamStart],
  2: ["start", readAllStart],
  3: ["backwards", readFlag],
  4: ["resolveLinks", readFlag],
  5: ["limit", readInteger],
  6: ["subscription", whenPresent(true)],
  7: ["filter", readFilter],
  9: ["ids", readIds],
});
const readRequest = messageReader(() => ({ options: undefined as typeof noOptions | undefined }), { 1: ["options", readOptions] });

export type ReadRequest = ReturnType<typeof parseReadRequest>;

export function parseReadRequest(bytes: Buffer) {
  const { options } = readRequest(bytes);
  if (!options) throw new MalformedMessage("the options are missing");
  const { start, resolveLinks, ids, ...rest } = options;
  if (start.stream === "") throw new MalformedMessage("a stream name is required");
  if (resolveLinks) throw notImplemented("This node does not resolve links");
  if (ids.structured) throw notImplemented("This node does not give ids as numbers");
  const request = { ...start, ...rest };
  refuseInvalidStreamRead(request);
  return request;
}

/** EventStoreDB answers these reads of a stream with an error instead of an empty result. $all can be read forwards from its end. */
function refuseInvalidStreamRead({ stream, from, backwards, limit, subscription }: ReadRequest): void {
  if (stream === undefined) return;
  if (subscription && from !== "end" && from !== "start" && from >= MAX_INT64) throw failedRead("No revision comes after that one.");
  if (subscription) return;
  if (limit === 0) throw failedRead("A stream is read one event at a time at least.");
  if (from === "end" && !backwards) throw failedRead("A stream is not read forwards from its end.");
}

/** EventStoreDB's default, for a client that sends no window. */
const DEFAULT_WINDOW = 32;

export interface EventFilter {
  /** A filter on the stream name tests a whole block at once. A filter on the type tests each event. */
  on: "stream" | "type";
  matches(text: string): boolean;
  /** How many events are tested before a page ends, even if it is not full. */
  window: number;
  /** How many events are tested between two checkpoints. */
  checkpointInterval: number;
}

const readExpression = nestedReader(() => ({ regex: "", prefixes: [] as string[] }), {
  1: ["regex", readText],
  2: ["prefixes", repeatedField(readText)],
});
type Expression = ReturnType<typeof readExpression>;
type FilterOptions = { stream?: Expression; type?: Expression; window: number; multiplier: number };

const readFilterOptions = nestedReader((): FilterOptions => ({ window: DEFAULT_WINDOW, multiplier: 1 }), {
  1: ["stream", readExpression],
  2: ["type", readExpression],
  3: ["window", readInteger],
  5: ["multiplier", readInteger],
});

export function readFilter(reader: Reader): EventFilter {
  const { stream, type, window, multiplier } = readFilterOptions(reader);
  const [on, expression] = type ? (["type", type] as const) : (["stream", stream] as const);
  const matches = expression ? createMatcher(expression) : () => true;
  return { on, matches, window: Math.max(1, window), checkpointInterval: Math.max(1, window * multiplier) };
}

function createMatcher({ regex, prefixes }: Expression): EventFilter["matches"] {
  if (regex === "") return (text) => prefixes.some((prefix) => text.startsWith(prefix)); // without prefixes nothing matches
  const expression = compileRegex(regex);
  return (text) => expression.test(text);
}

/** Translates .NET's syntax, in which options such as `(?i)` stand before the expression, and `\A`, `\Z` and `\z` are anchors. */
function compileRegex(regex: string): RegExp {
  const [, options = "", rest = ""] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(regex) ?? [];
  const anchored = rest.replace(/\\./gs, (pair) => ({ "\\A": "^", "\\Z": "$", "\\z": "$" })[pair] ?? pair);
  try {
    return new RegExp(anchored, options);
  } catch {
    throw failedRead(`The filter's regular expression is not valid: ${regex}`);
  }
}

/** False if no event of the block can match. Readers check this before they decode the types of the events, which takes longer. */
export function mayMatch(filter: EventFilter | undefined, { stream, types }: Block): boolean {
  if (!filter) return true;
  if (filter.on === "stream") return filter.matches(stream);
  return !types || [...types].some((type) => filter.matches(type));
}
