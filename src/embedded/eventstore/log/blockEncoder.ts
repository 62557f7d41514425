import { framePrefix } from "../../../adapters/eventStore/protocol/frames.js";
import { encodeMessage, property, varintBytes, writeVarint } from "../../../adapters/eventStore/protocol/protobuf.js";
import { type Block, endOf, HEAD_BYTES, type NewBlock } from "./blocks.js";

/** A larger append is split into several blocks, so that reading one event does not load a whole megabyte. All are committed together. */
const BLOCK_BYTES = 64 * 1024;

/** The size of an id's field, and the offset of its text after two tags and two lengths. Proposed and recorded events share this field. */
export const ID_BYTES = 40;
export const ID_TEXT = 4;

export interface ProposedEvent {
  /** The fields id, properties, metadata and data, in this order, encoded as in a recorded event except for their field numbers. */
  bytes: Buffer;
  type: string;
  /** The offsets in `bytes` of the field tags that a recorded event has with another number. */
  tags: readonly number[];
  /** The length of the data, with which `bytes` ends. */
  dataBytes: number;
}

/** In a recorded event the field numbers of properties, metadata and data are higher by four than in a proposed event. */
const RECORDED_TAG_OFFSET = 4 << 3;

export const idOf = ({ bytes }: ProposedEvent): string => bytes.toString("latin1", ID_TEXT, ID_BYTES);
export const dataOf = ({ bytes, dataBytes }: ProposedEvent): Buffer => bytes.subarray(bytes.length - dataBytes);

/** One append, or the events of one block. `revision` and `position` are those of the first event. */
interface Proposal extends Pick<Block, "stream" | "revision" | "position" | "createdAt"> {
  events: readonly ProposedEvent[];
}

type NewEvent = { id: string; type: string; data: Buffer; contentType?: string; metadata?: Buffer };

/** An event that the node itself writes. */
export function newEvent({ id, type, data, contentType = "application/json", metadata = Buffer.alloc(0) }: NewEvent): ProposedEvent {
  const bytes = encodeMessage([
    [1, [[2, id]]],
    [6, property("type", type)],
    [6, property("content-type", contentType)],
    [7, metadata],
    [8, data],
  ]);
  return { bytes, type, tags: [], dataBytes: data.length };
}

export function encodeBlocks(proposal: Proposal): NewBlock[] {
  const blocks: NewBlock[] = [];
  const shared = sharedFields(proposal);
  let { revision, position } = proposal;
  for (let first = 0; first < proposal.events.length; ) {
    let [next, bytes] = [first, 0];
    while (next < proposal.events.length && bytes < BLOCK_BYTES) bytes += maxFrameBytes(proposal.events[next++] as ProposedEvent, shared);
    const block = encodeBlock({ ...proposal, revision, position, events: proposal.events.slice(first, next) }, shared, bytes);
    blocks.push(block);
    first = next;
    revision += block.count;
    position = endOf(block);
  }
  return blocks;
}

/** The fields that all events of an append have. They go right before each event's own properties, so that all properties are together. */
const sharedFields = ({ stream, createdAt }: Proposal): Buffer =>
  encodeMessage([
    [2, [[3, stream]]],
    [6, property("created", `${createdAt}0000`)], // in ticks of 100 ns
  ]);

/** An upper bound: besides these bytes a frame has four numbers, tags, lengths and the prefix of a frame. */
const maxFrameBytes = ({ bytes }: ProposedEvent, shared: Buffer): number => bytes.length + shared.length + 60;

function encodeBlock({ stream, revision, position, createdAt, events }: Proposal, shared: Buffer, maxBytes: number): NewBlock {
  const head = encodeHead({ stream, revision, createdAt, count: events.length });
  const start = head.length;
  const target = Buffer.allocUnsafe(start + maxBytes);
  target.set(head);
  let end = start;
  for (let index = 0; index < events.length; index++)
    end = writeFrame(target, end, events[index] as ProposedEvent, revision + index, position + end - start, shared);
  const bytes = target.subarray(0, end);
  const types = new Set(events.map(({ type }) => type));
  return { stream, position, revision, count: events.length, createdAt, frames: bytes.subarray(start), bytes, types };
}

/** The bytes of a block before its frames. */
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

/** Writes a `ReadResp` that holds a `ReadEvent` with a `RecordedEvent`. Returns the frame's end. */
function writeFrame(target: Buffer, start: number, event: ProposedEvent, revision: number, position: number, shared: Buffer): number {
  const { bytes, tags } = event;
  const positionBytes = 1 + varintBytes(position);
  const recordedBytes = bytes.length + shared.length + 1 + varintBytes(revision) + 2 * positionBytes;
  const eventBytes = 1 + varintBytes(recordedBytes) + recordedBytes + positionBytes;
  const end = start + framePrefix + 1 + varintBytes(eventBytes) + eventBytes;
  const fields = end - positionBytes - bytes.length; // where the event's bytes go; `shared` overwrites their id, which goes to the front
  target.set(bytes, fields);
  for (let index = 0; index < tags.length; index++) (target[fields + (tags[index] as number)] as number) += RECORDED_TAG_OFFSET;
  target.set(shared, fields + ID_BYTES - shared.length);
  target[start] = 0; // not compressed
  target.writeUInt32BE(end - start - framePrefix, start + 1);
  let offset = writeNumber(target, start + framePrefix, 0x0a, eventBytes);
  offset = writeNumber(target, offset, 0x0a, recordedBytes);
  for (let index = 0; index < ID_BYTES; index++) target[offset++] = bytes[index] as number;
  offset = writeNumber(target, offset, 3 << 3, revision);
  offset = writeNumber(target, offset, 4 << 3, position); // prepare position
  writeNumber(target, offset, 5 << 3, position); // commit position
  return writeNumber(target, end - positionBytes, 3 << 3, position);
}

function writeNumber(target: Buffer, at: number, tag: number, value: number): number {
  target[at] = tag;
  return writeVarint(target, at + 1, value);
}
