import { encode, type Field, type Message } from "../../../adapters/eventStore/protobuf.js";
import { framed } from "../protocol/frames.js";
import { type Block, HEAD_BYTES } from "./blocks.js";

/** Larger appends are split, so that reading one event never drags in a whole megabyte. They still commit as one. */
const BLOCK_BYTES = 64 * 1024;

export interface ProposedEvent {
  id: string;
  type: string;
  /** The metadata map's entries as they came: type, content type and whatever else the client sent. */
  properties: Buffer[];
  metadata: Buffer;
  data: Buffer;
}

export interface Proposal {
  stream: string;
  revision: number;
  position: number;
  createdAt: number;
  events: readonly ProposedEvent[];
}

export const encodeProperty = (key: string, value: string): Buffer =>
  encode([
    [1, key],
    [2, value],
  ]);

export function encodeBlocks({ stream, revision, position, createdAt, events }: Proposal): Block[] {
  const blocks: Block[] = [];
  const shared: Shared = { stream: encode([[3, stream]]), created: encodeProperty("created", `${createdAt}0000`) }; // in ticks of 100 ns
  let frames: Buffer[] = [];
  let [from, to] = [position, position];
  for (const [index, event] of events.entries()) {
    const frame = framed(readResponse(event, revision + index, to, shared));
    frames.push(frame);
    to += frame.length;
    if (to - from < BLOCK_BYTES && index < events.length - 1) continue;
    blocks.push(blockOf(stream, revision + index + 1 - frames.length, from, createdAt, frames));
    frames = [];
    from = to;
  }
  return blocks;
}

interface Shared {
  stream: Buffer;
  created: Buffer;
}

function readResponse({ id, properties, metadata, data }: ProposedEvent, revision: number, position: number, shared: Shared): Message {
  const recorded: Field[] = [
    [1, [[2, id]]],
    [2, shared.stream],
    [3, revision],
    [4, position], // prepare position
    [5, position], // commit position
  ];
  for (const property of properties) recorded.push([6, property]);
  recorded.push([6, shared.created]);
  if (metadata.length > 0) recorded.push([7, metadata]);
  if (data.length > 0) recorded.push([8, data]);
  const readEvent: Message = [
    [1, recorded],
    [3, position],
  ];
  return [[1, readEvent]];
}

export function blockOf(stream: string, revision: number, position: number, createdAt: number, frames: readonly Buffer[]): Block {
  const name = Buffer.from(stream, "utf8");
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeDoubleBE(revision, 0);
  head.writeDoubleBE(createdAt, 8);
  head.writeUInt32BE(frames.length, 16);
  head.writeUInt32BE(name.length, 20);
  const bytes = Buffer.concat([head, name, ...frames]);
  return { stream, position, revision, count: frames.length, createdAt, frames: bytes.subarray(HEAD_BYTES + name.length), bytes };
}
