import {
  MAX_INT64,
  MalformedMessage,
  message,
  type Reader,
  readFlag,
  readNumber,
  readText,
  repeated,
  whenPresent,
  wholeMessage,
} from "../../../adapters/eventStore/protocol/protobuf.js";
import type { Block } from "../log/blocks.js";
import { readStreamName } from "./appendRequests.js";
import { failedRead, notImplemented } from "./grpc.js";

interface ReadStart {
  /** Undefined for $all. */
  stream: string | undefined;
  from: "start" | "end" | number;
}

const readCommitAndPrepare = message(() => ({ commit: 0, prepare: 0 }), { 1: ["commit", readNumber], 2: ["prepare", readNumber] });

/** Here an event's commit and prepare positions are equal, so only the commit position is used. A smaller one is refused, as on EventStoreDB. */
function readPosition(reader: Reader): ReadStart["from"] {
  const { commit, prepare } = readCommitAndPrepare(reader);
  if (commit < prepare) throw failedRead("The commit position is before the prepare position.");
  return signed(commit);
}

/** Revisions and positions are sent as unsigned numbers. The largest one (-1 if signed) means the end; others above int64's maximum are errors. */
function signed(value: number): ReadStart["from"] {
  if (value <= MAX_INT64) return value;
  if (value < 2 * MAX_INT64) throw failedRead("That is larger than any revision or position.");
  return "end";
}

const readStreamStart = message((): ReadStart => ({ stream: "", from: "start" }), {
  1: ["stream", readStreamName],
  2: ["from", (reader: Reader) => signed(readNumber(reader))],
  4: ["from", whenPresent("end")],
});
const readAllStart = message((): ReadStart => ({ stream: undefined, from: "start" }), {
  1: ["from", readPosition],
  3: ["from", whenPresent("end")],
});
const readIds = message(() => ({ structured: false }), { 1: ["structured", whenPresent(true)] });

const noOptions = {
  start: { stream: undefined, from: "start" } as ReadStart,
  backwards: false,
  limit: Number.MAX_SAFE_INTEGER,
  subscription: false,
  filter: undefined as EventFilter | undefined,
  resolveLinks: false,
  ids: { structured: false },
};
const readOptions = message(() => ({ ...noOptions }), {
  1: ["start", readStreamStart],
  2: ["start", readAllStart],
  3: ["backwards", readFlag],
  4: ["resolveLinks", readFlag],
  5: ["limit", readNumber],
  6: ["subscription", whenPresent(true)],
  7: ["filter", readFilter],
  9: ["ids", readIds],
});
const readRequest = wholeMessage(() => ({ options: undefined as typeof noOptions | undefined }), { 1: ["options", readOptions] });

export type ReadRequest = ReturnType<typeof parseReadRequest>;

export function parseReadRequest(bytes: Buffer) {
  const { options } = readRequest(bytes);
  if (!options) throw new MalformedMessage("the options are missing");
  const { start, resolveLinks, ids, ...rest } = options;
  if (start.stream === "") throw new MalformedMessage("a stream name is required");
  if (resolveLinks) throw notImplemented("This node does not resolve links");
  if (ids.structured) throw notImplemented("This node does not give ids as numbers");
  const request = { ...start, ...rest };
  refuseWhatTheReaderRefuses(request);
  return request;
}

/** EventStoreDB answers these reads of a stream with an error, not with an empty result. $all can be read forwards from its end. */
function refuseWhatTheReaderRefuses({ stream, from, backwards, limit, subscription }: ReadRequest): void {
  if (stream === undefined) return;
  if (subscription && from !== "end" && from !== "start" && from >= MAX_INT64) throw failedRead("No revision comes after that one.");
  if (subscription) return;
  if (limit === 0) throw failedRead("A stream is read one event at a time at least.");
  if (from === "end" && !backwards) throw failedRead("A stream is not read forwards from its end.");
}

/** EventStoreDB's default, for a client that gives none. */
const DEFAULT_WINDOW = 32;

export interface EventFilter {
  /** By stream name, a block matches whole or not at all. By type, each event is tested. */
  on: "stream" | "type";
  matches(text: string): boolean;
  /** How many events are looked at before a page ends, full or not. */
  window: number;
  /** How many events are looked at between two checkpoints. */
  checkpointInterval: number;
}

const readExpression = message(() => ({ regex: "", prefixes: [] as string[] }), {
  1: ["regex", readText],
  2: ["prefixes", repeated(readText)],
});
type Expression = ReturnType<typeof readExpression>;
type FilterOptions = { stream?: Expression; type?: Expression; window: number; multiplier: number };

const readFilterOptions = message((): FilterOptions => ({ window: DEFAULT_WINDOW, multiplier: 1 }), {
  1: ["stream", readExpression],
  2: ["type", readExpression],
  3: ["window", readNumber],
  5: ["multiplier", readNumber],
});

export function readFilter(reader: Reader): EventFilter {
  const { stream, type, window, multiplier } = readFilterOptions(reader);
  const [on, expression] = type ? (["type", type] as const) : (["stream", stream] as const);
  const matches = expression ? matcher(expression) : () => true;
  return { on, matches, window: Math.max(1, window), checkpointInterval: Math.max(1, window * multiplier) };
}

function matcher({ regex, prefixes }: Expression): EventFilter["matches"] {
  if (regex === "") return (text) => prefixes.some((prefix) => text.startsWith(prefix)); // without prefixes nothing matches
  const expression = compile(regex);
  return (text) => expression.test(text);
}

/** Translates .NET's syntax: options such as `(?i)` stand before the expression, and `\A`, `\Z` and `\z` are anchors. */
function compile(regex: string): RegExp {
  const [, options = "", rest = ""] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(regex) ?? [];
  const anchored = rest.replace(/\\./gs, (pair) => ({ "\\A": "^", "\\Z": "$", "\\z": "$" })[pair] ?? pair);
  try {
    return new RegExp(anchored, options);
  } catch {
    throw failedRead(`The filter's regular expression is not valid: ${regex}`);
  }
}

/** Whether events of the block can match. Checked first, because reading the type of an event costs more than appending it. */
export function mayMatch(filter: EventFilter | undefined, { stream, types }: Block): boolean {
  if (!filter) return true;
  if (filter.on === "stream") return filter.matches(stream);
  return !types || [...types].some((type) => filter.matches(type));
}
