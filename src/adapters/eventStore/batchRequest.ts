// Writes the protocol's BatchAppendReq straight into bytes, the same that the client's generated code would send. That code turns
// every event's data into base64 and back and serialises each message twice: some 25 us per event, against 2 here.
import { randomUUID } from "node:crypto";
import type { EventMetadata, NewEvent, Revision } from "../../ports.js";
import { metadataBytes } from "./conversion.js";
import { field, messageOf, varintLength, writeVarint } from "./wire.js";

const request = { correlationId: 1, options: 2, proposedMessages: 3 } as const;
const option = { stream: 1, streamPosition: 2, noStream: 3, deadline: 6 } as const;
const proposed = { metadata: 2, customMetadata: 3, data: 4 } as const;

const isFinal = Buffer.from([0x20, 1]);
const idStart = Buffer.from([0x0a, 38, 0x12, 36]); // id: a UUID message that holds it as 36 characters
const idBytes = idStart.length + 36;
const messageTag = (request.proposedMessages << 3) | 2;
const dataTag = (proposed.data << 3) | 2;

export interface BatchRequest {
  /** The answer carries it back. */
  readonly correlationId: string;
  readonly bytes: Buffer;
}

/** Undefined when the events are more than `maxBytes`. */
export function batchRequest(stream: string, events: readonly NewEvent[], expected: Revision, maxBytes: number): BatchRequest | undefined {
  const correlationId = randomUUID();
  const head = header(correlationId, stream, expected);
  let total = head.length + isFinal.length;
  const messages = events.map(({ id, type, data, json: text, metadata }) => {
    if (id.length !== 36) throw new TypeError(`${id} is no event id`);
    const json = text ?? JSON.stringify(data);
    const parts = partsOf(type, metadata);
    const dataLength = Buffer.byteLength(json);
    const length = idBytes + parts.length + 1 + varintLength(dataLength) + dataLength;
    total += 1 + varintLength(length) + length;
    return { id, json, parts, dataLength, length };
  });
  if (total > maxBytes) return undefined;

  const bytes = Buffer.allocUnsafe(total);
  let at = head.copy(bytes);
  for (const { id, json, parts, dataLength, length } of messages) {
    bytes[at++] = messageTag;
    at = writeVarint(bytes, at, length);
    at += idStart.copy(bytes, at);
    at += bytes.write(id, at, "latin1");
    at += parts.copy(bytes, at);
    bytes[at++] = dataTag;
    at = writeVarint(bytes, at, dataLength);
    at += bytes.write(json, at, "utf8");
  }
  isFinal.copy(bytes, at);
  return { correlationId, bytes };
}

function header(correlationId: string, stream: string, expected: Revision): Buffer {
  const name = Buffer.from(stream);
  const identifier = field(option.stream, field(3, name));
  const revision = expected < 0n ? noStreamYet : field(option.streamPosition, expected);
  const deadline = farAhead();
  const optionsLength = identifier.length + revision.length + deadline.length;
  const idAt = correlationStart.length;
  const optionsAt = idAt + 36 + 1 + varintLength(optionsLength);
  const bytes = Buffer.allocUnsafe(optionsAt + optionsLength);
  correlationStart.copy(bytes);
  bytes.write(correlationId, idAt, "latin1");
  bytes[idAt + 36] = (request.options << 3) | 2;
  writeVarint(bytes, idAt + 37, optionsLength);
  identifier.copy(bytes, optionsAt);
  revision.copy(bytes, optionsAt + identifier.length);
  deadline.copy(bytes, optionsAt + identifier.length + revision.length);
  return bytes;
}

const correlationStart = Buffer.from([(request.correlationId << 3) | 2, 38, 0x12, 36]); // a UUID message of 36 characters
const noStreamYet = field(option.noStream, Buffer.alloc(0));

let deadlineSeconds = 0;
let deadlineField: Buffer = Buffer.alloc(0);

/** The server takes the smaller of this and its own limit. It is a time of day, and clocks differ, so it lies far ahead. */
function farAhead(): Buffer {
  const seconds = Math.ceil(Date.now() / 1000) + 86_400;
  if (seconds !== deadlineSeconds) {
    deadlineSeconds = seconds;
    deadlineField = field(option.deadline, field(1, BigInt(seconds)));
  }
  return deadlineField;
}

const described = new WeakMap<EventMetadata, Map<string, Buffer>>();

/** Type, content type and metadata of an event: the same bytes for all rows of an import and all quotes of a request. */
function partsOf(type: string, metadata: EventMetadata): Buffer {
  const known = described.get(metadata) ?? new Map<string, Buffer>();
  described.set(metadata, known);
  const made = known.get(type) ?? describe(type, metadataBytes(metadata));
  known.set(type, made);
  return made;
}

function describe(type: string, metadata: Uint8Array): Buffer {
  const entry = (key: string, value: string) =>
    field(proposed.metadata, messageOf(field(1, Buffer.from(key)), field(2, Buffer.from(value))));
  return messageOf(entry("type", type), entry("content-type", "application/json"), field(proposed.customMetadata, metadata));
}
