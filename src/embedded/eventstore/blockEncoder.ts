import { type Block, FRAME_PREFIX, HEAD_BYTES, ID_BYTES, type ProposedEvent } from "./blocks.js";
import { varintSize, writeVarint } from "./wire.js";

/** Larger appends are split, so that reading one event never drags in a whole megabyte. They still commit as one. */
const BLOCK_BYTES = 64 * 1024;

export interface Proposal {
  stream: string;
  revision: number;
  position: number;
  createdAt: number;
  events: readonly ProposedEvent[];
}

export function encodeBlocks(proposal: Proposal): Block[] {
  const shared = sharedFields(proposal);
  const blocks: Block[] = [];
  let { position } = proposal;
  for (let from = 0; from < proposal.events.length; ) {
    const sizes: FrameSizes[] = [];
    let bytes = 0;
    while (from + sizes.length < proposal.events.length && (sizes.length === 0 || bytes < BLOCK_BYTES)) {
      const index = from + sizes.length;
      const size = frameSizes(proposal.events[index] as ProposedEvent, revisionAt(proposal, index), position + bytes, shared);
      sizes.push(size);
      bytes += size.frame;
    }
    blocks.push(encodeBlock(proposal, shared, from, position, sizes, bytes));
    from += sizes.length;
    position += bytes;
  }
  return blocks;
}

const revisionAt = (proposal: Proposal, index: number): number => proposal.revision + index;

interface SharedFields {
  /** The stream's name, and the field that says it in each event. */
  name: Buffer;
  stream: Buffer;
  /** Properties, creation time and metadata of an event, encoded once for neighbours that share them. */
  description: (event: ProposedEvent) => Buffer;
}

function sharedFields(proposal: Proposal): SharedFields {
  const name = Buffer.from(proposal.stream, "utf8");
  return { name, stream: streamField(name), description: describer(createdField(proposal.createdAt)) };
}

/** RecordedEvent.stream_identifier around its one field. */
function streamField(name: Buffer): Buffer {
  const inner = fieldSize(name);
  const target = Buffer.allocUnsafe(1 + varintSize(inner) + inner);
  writeField(target, writeTagged(target, 0, 0x12, inner), 3, name);
  return target;
}

/** The server's own property: when, in 100 ns ticks. */
function createdField(createdAt: number): Buffer {
  const ticks = `${createdAt}0000`;
  const key = "\x0a\x07created";
  return Buffer.from(`\x32${lengthByte(key.length + 2 + ticks.length)}${key}\x12${lengthByte(ticks.length)}${ticks}`, "latin1");
}

const lengthByte = (length: number): string => String.fromCharCode(length);

function describer(created: Buffer): SharedFields["description"] {
  let last: ProposedEvent | undefined;
  let made = created;
  return (event) => {
    if (last?.properties === event.properties && last.metadata.equals(event.metadata)) return made;
    made = describe(event, created);
    last = event;
    return made;
  };
}

function describe({ properties, metadata }: ProposedEvent, created: Buffer): Buffer {
  let size = created.length;
  for (const property of properties) size += fieldSize(property);
  if (metadata.length > 0) size += fieldSize(metadata);
  const target = Buffer.allocUnsafe(size);
  let at = 0;
  for (const property of properties) at = writeField(target, at, 6, property);
  at += created.copy(target, at);
  if (metadata.length > 0) writeField(target, at, 7, metadata);
  return target;
}

const fieldSize = (bytes: Buffer): number => 1 + varintSize(bytes.length) + bytes.length;

function writeField(target: Buffer, offset: number, number: number, bytes: Buffer): number {
  target[offset] = (number << 3) | 2;
  const at = writeVarint(target, offset + 1, bytes.length);
  return at + bytes.copy(target, at);
}

interface FrameSizes {
  description: Buffer;
  recorded: number;
  readEvent: number;
  response: number;
  frame: number;
}

function frameSizes(event: ProposedEvent, revision: number, position: number, shared: SharedFields): FrameSizes {
  const description = shared.description(event);
  let recorded = 4 + ID_BYTES + shared.stream.length + description.length;
  recorded += 3 + varintSize(revision) + 2 * varintSize(position);
  if (event.data.length > 0) recorded += fieldSize(event.data);
  const readEvent = 1 + varintSize(recorded) + recorded + 1 + varintSize(position);
  const response = 1 + varintSize(readEvent) + readEvent;
  return { description, recorded, readEvent, response, frame: FRAME_PREFIX + response };
}

function encodeBlock(proposal: Proposal, shared: SharedFields, from: number, position: number, sizes: FrameSizes[], length: number): Block {
  const { stream, createdAt } = proposal;
  const { name } = shared;
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + name.length + length);
  const revision = revisionAt(proposal, from);
  bytes.writeDoubleBE(revision, 0);
  bytes.writeDoubleBE(createdAt, 8);
  bytes.writeUInt32BE(sizes.length, 16);
  bytes.writeUInt32BE(name.length, 20);
  name.copy(bytes, HEAD_BYTES);
  const frames = bytes.subarray(HEAD_BYTES + name.length);
  let at = 0;
  for (let index = 0; index < sizes.length; index += 1) {
    const event = proposal.events[from + index] as ProposedEvent;
    at = writeFrame(frames, at, event, revision + index, position + at, sizes[index] as FrameSizes, shared);
  }
  return { stream, position, revision, count: sizes.length, createdAt, frames, bytes };
}

function writeFrame(
  target: Buffer,
  offset: number,
  event: ProposedEvent,
  revision: number,
  position: number,
  size: FrameSizes,
  shared: SharedFields,
) {
  target[offset] = 0; // not compressed
  target.writeUInt32BE(size.response, offset + 1);
  let at = writeTagged(target, offset + FRAME_PREFIX, 0x0a, size.readEvent); // ReadResp.event
  at = writeTagged(target, at, 0x0a, size.recorded); // ReadEvent.event
  at = writeTagged(target, at, 0x0a, ID_BYTES + 2); // RecordedEvent.id
  at = writeTagged(target, at, 0x12, ID_BYTES); // UUID.string
  at += target.write(event.id, at, ID_BYTES, "latin1");
  at += shared.stream.copy(target, at);
  at = writeTagged(target, at, 0x18, revision);
  at = writeTagged(target, at, 0x20, position); // prepare position
  at = writeTagged(target, at, 0x28, position); // commit position
  at += size.description.copy(target, at);
  if (event.data.length > 0) at = writeField(target, at, 8, event.data);
  return writeTagged(target, at, 0x18, position); // ReadEvent.commit_position
}

function writeTagged(target: Buffer, offset: number, tag: number, value: number): number {
  target[offset] = tag;
  return writeVarint(target, offset + 1, value);
}
