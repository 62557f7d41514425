import { property } from "../../../adapters/eventStore/eventProperties.js";
import {
  distanceFromEnd,
  encode,
  newOutput,
  type Output,
  prependBytes,
  prependHead,
  prependNumber,
  prependText,
} from "../../../adapters/eventStore/protobuf.js";
import { FRAME_PREFIX } from "../protocol/frames.js";
import { type Block, endOf, HEAD_BYTES, type NewBlock } from "./blocks.js";

/** Larger appends are split, so that reading one event never drags in a whole megabyte. They still commit as one. */
const BLOCK_BYTES = 64 * 1024;

export interface ProposedEvent {
  id: string;
  type: string;
  /** Properties, metadata and data, as the fields of a recorded event. */
  fields: Buffer;
  /** How many bytes at the end of the fields are the data. */
  dataBytes: number;
}

export const dataOf = ({ fields, dataBytes }: ProposedEvent): Buffer => fields.subarray(fields.length - dataBytes);

export interface Proposal {
  stream: string;
  revision: number;
  position: number;
  createdAt: number;
  events: readonly ProposedEvent[];
}

type NewEvent = Pick<ProposedEvent, "id" | "type"> & { data: Buffer; contentType?: string; metadata?: Buffer };

/** An event that comes from no client. */
export function newEvent({ id, type, data, contentType = "application/json", metadata = Buffer.alloc(0) }: NewEvent): ProposedEvent {
  const fields = encode([
    [6, property("type", type)],
    [6, property("content-type", contentType)],
    [7, metadata],
    [8, data],
  ]);
  return { id, type, fields, dataBytes: data.length };
}

export function encodeBlocks(proposal: Proposal): NewBlock[] {
  const blocks: NewBlock[] = [];
  const shared = sharedFields(proposal);
  let { revision, position } = proposal;
  for (let first = 0; first < proposal.events.length; ) {
    let [next, bytes] = [first, 0];
    while (next < proposal.events.length && bytes < BLOCK_BYTES) bytes += mostBytes(proposal.events[next++] as ProposedEvent, shared);
    const block = encodeBlock({ ...proposal, revision, position, events: proposal.events.slice(first, next) }, shared, bytes);
    blocks.push(block);
    first = next;
    revision += block.count;
    position = endOf(block);
  }
  return blocks;
}

/** What all events of an append have in common. Right before an event's own fields, since readers may want all properties in one run. */
const sharedFields = ({ stream, createdAt }: Proposal): Buffer =>
  encode([
    [2, [[3, stream]]],
    [6, property("created", `${createdAt}0000`)], // in ticks of 100 ns
  ]);

/** A frame has an id and four numbers besides, and what frames them. */
const mostBytes = ({ fields }: ProposedEvent, shared: Buffer): number => fields.length + shared.length + 100;

function encodeBlock({ stream, revision, position, createdAt, events }: Proposal, shared: Buffer, most: number): NewBlock {
  const head = encodeHead({ stream, revision, createdAt, count: events.length });
  const start = head.length;
  const target = Buffer.allocUnsafe(start + most);
  target.set(head);
  let end = start;
  const output = newOutput(target);
  for (const [index, event] of events.entries()) {
    output.at = end + mostBytes(event, shared);
    const written = distanceFromEnd(output);
    prependFrame(output, event, revision + index, position + end - start, shared);
    const length = distanceFromEnd(output) - written;
    target.copyWithin(end, output.at, output.at + length);
    end += length;
  }
  const bytes = target.subarray(0, end);
  const types = new Set(events.map(({ type }) => type));
  return { stream, position, revision, count: events.length, createdAt, frames: bytes.subarray(start), bytes, types };
}

/** What a block has before its frames. */
export function encodeHead({ stream, revision, createdAt, count }: Pick<Block, "stream" | "revision" | "createdAt" | "count">): Buffer {
  const name = Buffer.from(stream, "utf8");
  const head = Buffer.allocUnsafe(HEAD_BYTES + name.length);
  head.writeDoubleBE(revision, 0);
  head.writeDoubleBE(createdAt, 8);
  head.writeUInt32BE(count, 16);
  head.writeUInt32BE(name.length, 20);
  head.set(name, HEAD_BYTES);
  return head;
}

/** A `ReadResp` with a `ReadEvent` with a `RecordedEvent`. */
function prependFrame(output: Output, { id, fields }: ProposedEvent, revision: number, position: number, shared: Buffer): void {
  const end = distanceFromEnd(output);
  prependNumber(output, 3, position);
  const recordedEnd = distanceFromEnd(output);
  prependBytes(output, fields);
  prependBytes(output, shared);
  prependNumber(output, 5, position); // commit position
  prependNumber(output, 4, position); // prepare position
  prependNumber(output, 3, revision);
  const idEnd = distanceFromEnd(output);
  prependText(output, id);
  prependHead(output, 2, idEnd);
  prependHead(output, 1, idEnd);
  prependHead(output, 1, recordedEnd);
  prependHead(output, 1, end);
  const length = distanceFromEnd(output) - end;
  output.at -= FRAME_PREFIX;
  output.bytes[output.at] = 0; // not compressed
  output.bytes.writeUInt32BE(length, output.at + 1);
}
