import {
  decode,
  type Fields,
  MAX_INT64,
  MalformedMessage,
  message,
  present,
  type Reader,
  readFlag,
  readNumber,
} from "../../../adapters/eventStore/protobuf.js";
import { readStreamName } from "./appendRequests.js";
import { type EventFilter, readFilter } from "./filters.js";
import { failedRead, notOffered } from "./grpcErrors.js";

type From = "start" | "end" | number;

export interface ReadRequest {
  /** Undefined for $all. */
  stream: string | undefined;
  from: From;
  backwards: boolean;
  limit: number;
  subscription: boolean;
  filter: EventFilter | undefined;
}

interface Options extends Omit<ReadRequest, "stream" | "from"> {
  where: { stream: string | undefined; from: From };
  resolveLinks: boolean;
  ids: { structured: boolean };
}

const positionFields: Fields<{ commit: number; prepare: number }> = { 1: ["commit", readNumber], 2: ["prepare", readNumber] };
const readCommitAndPrepare = message(positionFields, () => ({ commit: 0, prepare: 0 }));

/** Commit and prepare positions are the same here; a prepare position is only looked at as far as the server refuses some. */
function readPosition(reader: Reader): From {
  const { commit, prepare } = readCommitAndPrepare(reader);
  if (commit < prepare) throw failedRead("The commit position is before the prepare position.");
  return signed(commit);
}

/** Revisions and positions travel without a sign, but have one: the largest of all stands for the end, others that large for nothing. */
function signed(value: number): From {
  if (value <= MAX_INT64) return value;
  if (value < 2 * MAX_INT64) throw failedRead("That is larger than any revision or position.");
  return "end";
}

const readRevision = (reader: Reader): From => signed(readNumber(reader));

const streamFields: Fields<Options["where"]> = {
  1: ["stream", readStreamName],
  2: ["from", readRevision],
  4: ["from", present("end")],
};
const allFields: Fields<Options["where"]> = { 1: ["from", readPosition], 3: ["from", present("end")] };
const idFields: Fields<Options["ids"]> = { 1: ["structured", present(true)] };

const optionFields: Fields<Options> = {
  1: ["where", message<Options["where"]>(streamFields, () => ({ stream: "", from: "start" }))],
  2: ["where", message<Options["where"]>(allFields, () => ({ stream: undefined, from: "start" }))],
  3: ["backwards", readFlag],
  4: ["resolveLinks", readFlag],
  5: ["limit", readNumber],
  6: ["subscription", present(true)],
  7: ["filter", readFilter],
  9: ["ids", message(idFields, () => ({ structured: false }))],
};
const readOptions = message<Options>(optionFields, () => ({
  where: { stream: undefined, from: "start" },
  backwards: false,
  limit: Number.MAX_SAFE_INTEGER,
  subscription: false,
  filter: undefined,
  resolveLinks: false,
  ids: { structured: false },
}));

const requestFields: Fields<{ options: Options | undefined }> = { 1: ["options", readOptions] };

export function readReadRequest(bytes: Buffer): ReadRequest {
  const { options } = decode(bytes, requestFields, { options: undefined });
  if (!options) throw new MalformedMessage("the options are missing");
  const { where, resolveLinks, ids, ...rest } = options;
  if (where.stream === "") throw new MalformedMessage("a stream name is required");
  if (resolveLinks) throw notOffered("This node does not resolve links");
  if (ids.structured) throw notOffered("This node does not give ids as numbers");
  const request = { ...where, ...rest };
  refuseWhatTheReaderRefuses(request);
  return request;
}

/** Neither is an empty read on the server, though $all read forwards from its end is. */
function refuseWhatTheReaderRefuses({ stream, from, backwards, limit, subscription }: ReadRequest): void {
  if (stream === undefined) return;
  if (subscription && from !== "end" && from !== "start" && from >= MAX_INT64) throw failedRead("No revision comes after that one.");
  if (subscription) return;
  if (limit === 0) throw failedRead("A stream is read one event at a time at least.");
  if (from === "end" && !backwards) throw failedRead("A stream is not read forwards from its end.");
}
