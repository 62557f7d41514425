// Writes the protocol's BatchAppendReq, the same message that the client's generated code would send. That code turns
// every event's data into base64 and back and serialises each message twice: some 25 us per event, against 2 here.
import { randomUUID } from "node:crypto";
import type { EventMetadata, NewEvent, Revision } from "../../ports/eventStore.js";
import { property } from "./eventProperties.js";
import {
  distanceFromEnd,
  encode,
  type Message,
  newOutput,
  type Output,
  prependBytes,
  prependHead,
  prependMessage,
  prependText,
} from "./protobuf.js";

const request = { correlationId: 1, options: 2, proposedMessages: 3, isFinal: 4 } as const;
const option = { stream: 1, streamPosition: 2, noStream: 3, deadline: 6 } as const;
const proposed = { id: 1, metadata: 2, customMetadata: 3, data: 4 } as const;

export interface BatchRequest {
  /** The answer carries it back. */
  readonly correlationId: string;
  readonly bytes: Buffer;
}

/** Undefined when the events are more than `maxBytes`. */
export function batchRequest(stream: string, events: readonly NewEvent[], expected: Revision, maxBytes: number): BatchRequest | undefined {
  const correlationId = randomUUID();
  const output = newOutput(Buffer.allocUnsafe(likelyBytes(events)));
  for (let index = events.length - 1; index >= 0; index--) {
    prependProposed(output, events[index] as NewEvent);
    if (distanceFromEnd(output) > maxBytes) return undefined;
  }
  prependMessage(output, [
    [request.correlationId, [[2, correlationId]]],
    [request.options, optionsOf(stream, expected)],
    [request.isFinal, 1],
  ]);
  if (distanceFromEnd(output) > maxBytes) return undefined;
  return { correlationId, bytes: output.bytes.subarray(output.at) };
}

/** Enough for most appends; the output grows for the others. */
const likelyBytes = (events: readonly NewEvent[]): number => events.reduce((sum, { json }) => sum + json.length + 400, 400);

const secondsAhead = 86_400;

/** The server takes the smaller of this deadline and its own limit. It is a time of day, and clocks differ, so it lies far ahead. */
const optionsOf = (stream: string, expected: Revision): Message => [
  [option.stream, [[3, stream]]],
  expected < 0n ? [option.noStream, []] : [option.streamPosition, expected],
  [option.deadline, [[1, Math.ceil(Date.now() / 1000) + secondsAhead]]],
];

function prependProposed(output: Output, { id, type, json, metadata }: NewEvent): void {
  if (id.length !== 36) throw new TypeError(`${id} is not an event id`);
  const end = distanceFromEnd(output);
  prependText(output, json);
  prependHead(output, proposed.data, end);
  prependBytes(output, descriptionOf(type, metadata));
  prependMessage(output, [[proposed.id, [[2, id]]]]);
  prependHead(output, request.proposedMessages, end);
}

const descriptions = new WeakMap<EventMetadata, Map<string, Buffer>>();

/** Type, content type and metadata of an event. The rows of an import share the metadata object, so they are encoded once. */
function descriptionOf(type: string, metadata: EventMetadata): Buffer {
  const byType = descriptions.get(metadata) ?? new Map<string, Buffer>();
  descriptions.set(metadata, byType);
  const description = byType.get(type) ?? describe(type, metadata);
  byType.set(type, description);
  return description;
}

const describe = (type: string, metadata: EventMetadata): Buffer =>
  encode([
    [proposed.metadata, property("type", type)],
    [proposed.metadata, property("content-type", "application/json")],
    [proposed.customMetadata, JSON.stringify(metadata)],
  ]);
