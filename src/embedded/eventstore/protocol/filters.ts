import { message, type Reader, readNumber, readText, repeated } from "../../../adapters/eventStore/protocol/protobuf.js";
import type { Block } from "../log/blocks.js";
import { failedRead } from "./grpcErrors.js";

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

interface Expression {
  regex: string;
  prefixes: string[];
}

const readExpression = message((): Expression => ({ regex: "", prefixes: [] }), {
  1: ["regex", readText],
  2: ["prefixes", repeated(readText)],
});
type Options = { stream?: Expression; type?: Expression; window: number; multiplier: number };

const readOptions = message((): Options => ({ window: DEFAULT_WINDOW, multiplier: 1 }), {
  1: ["stream", readExpression],
  2: ["type", readExpression],
  3: ["window", readNumber],
  5: ["multiplier", readNumber],
});

export function readFilter(reader: Reader): EventFilter {
  const { stream, type, window, multiplier } = readOptions(reader);
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
