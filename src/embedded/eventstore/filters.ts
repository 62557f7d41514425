import { type Block, eventTypeAt } from "./blocks.js";
import { failedRead } from "./grpcErrors.js";
import { type Cursor, eachField, readMessage, readText, readVarint } from "./wire.js";

/** The server's own, where the client gives none. */
const DEFAULT_WINDOW = 32;

export interface EventFilter {
  /** By stream name a block matches whole or not at all; by type each event is asked. */
  on: "stream" | "type";
  matches(text: string): boolean;
  /** Events to look at before a page is given out, full or not. */
  window: number;
  /** Events to look at between two checkpoints. */
  checkpointInterval: number;
}

export function readFilter(cursor: Cursor): EventFilter {
  let on: EventFilter["on"] = "stream";
  let matches: EventFilter["matches"] = () => true;
  let window = DEFAULT_WINDOW;
  let multiplier = 1;
  eachField(cursor, (field) => {
    if (field === 1 || field === 2) {
      on = field === 1 ? "stream" : "type";
      matches = readExpression(readMessage(cursor));
    } else if (field === 3) window = readVarint(cursor);
    else if (field === 5) multiplier = readVarint(cursor);
    else return false;
    return true;
  });
  return { on, matches, window: Math.max(1, window), checkpointInterval: Math.max(1, window * multiplier) };
}

function readExpression(cursor: Cursor): EventFilter["matches"] {
  let regex = "";
  const prefixes: string[] = [];
  eachField(cursor, (field) => {
    if (field === 1) regex = readText(cursor);
    else if (field === 2) prefixes.push(readText(cursor));
    else return false;
    return true;
  });
  if (regex === "") return (text) => prefixes.some((prefix) => text.startsWith(prefix)); // without any, nothing matches
  const expression = compile(regex);
  return (text) => expression.test(text);
}

/** What .NET spells otherwise: options for the whole expression are written before it, and there are anchors by letter. */
function compile(regex: string): RegExp {
  const [, options = "", rest = ""] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(regex) ?? [];
  const anchored = rest.replace(/\\./gs, (pair) => ({ "\\A": "^", "\\Z": "$", "\\z": "$" })[pair] ?? pair);
  try {
    return new RegExp(anchored, options);
  } catch {
    throw failedRead(`The filter's regular expression is not valid: ${regex}`);
  }
}

export const matchesStream = (filter: EventFilter | undefined, block: Block): boolean =>
  filter?.on !== "stream" || filter.matches(block.stream);

export const matchesEvent = (filter: EventFilter | undefined, block: Block, offset: number): boolean =>
  filter?.on !== "type" || filter.matches(eventTypeAt(block.frames, offset));
