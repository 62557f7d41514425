import {
  MAX_INT64,
  MalformedMessage,
  message,
  present,
  type Reader,
  readFlag,
  readNumber,
  wholeMessage,
} from "../../../adapters/eventStore/protocol/protobuf.js";
import { readStreamName } from "./appendRequests.js";
import { type EventFilter, readFilter } from "./filters.js";
import { failedRead, notImplemented } from "./grpcErrors.js";

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
  4: ["from", present("end")],
});
const readAllStart = message((): ReadStart => ({ stream: undefined, from: "start" }), {
  1: ["from", readPosition],
  3: ["from", present("end")],
});
const readIds = message(() => ({ structured: false }), { 1: ["structured", present(true)] });

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
  6: ["subscription", present(true)],
  7: ["filter", readFilter],
  9: ["ids", readIds],
});
const readRequest = wholeMessage(() => ({ options: undefined as typeof noOptions | undefined }), { 1: ["options", readOptions] });

export type ReadRequest = ReturnType<typeof readReadRequest>;

export function readReadRequest(bytes: Buffer) {
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
