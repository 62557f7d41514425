// Writes the protocol's BatchAppendReq, the same message that the client's generated code would send. The generated code turns
// every event's data into base64 and back, and serialises each message twice. It takes some 25 us per event; this file takes 1 us.
import { randomUUID } from "node:crypto";
import type { NewEvent, Revision } from "../../../ports/eventStore.js";
import { addEvent, createProposedEvents, type ProposedEvents } from "./proposedEvents.js";
import { encodeMessage, type Message } from "./protobuf.js";

const requestField = { correlationId: 1, options: 2, isFinal: 4 } as const;
const optionField = { stream: 1, streamPosition: 2, noStream: 3, deadline: 6 } as const;

export type BatchRequest = ReturnType<typeof batchRequest>;

/** How many bytes a request takes besides its events, at most. */
export const maxHeadBytes = (stream: string): number => 128 + Buffer.byteLength(stream);

/** Writes the request's head into the free bytes before `events`. The server repeats the correlation id in its answer. */
export function batchRequest(stream: string, events: ProposedEvents, expected: Revision) {
  const correlationId: string = randomUUID();
  const head = encodeMessage([
    [requestField.correlationId, [[2, correlationId]]],
    [requestField.options, optionsOf(stream, expected)],
    [requestField.isFinal, 1],
  ]);
  const from = events.start - head.length;
  events.bytes.set(head, from);
  return { correlationId, bytes: events.bytes.subarray(from, events.end) };
}

/** Encodes the events and their request; undefined when the request would be larger than `maxBytes`. */
export function encodeAppend(stream: string, events: readonly NewEvent[], expected: Revision, maxBytes: number): BatchRequest | undefined {
  const proposed = createProposedEvents(maxHeadBytes(stream), likelyBytes(events));
  for (const event of events) if (!addEvent(proposed, event, maxBytes)) return undefined;
  const encoded = batchRequest(stream, proposed, expected);
  return encoded.bytes.length > maxBytes ? undefined : encoded;
}

/** Enough for most appends; the buffer grows for larger ones. */
const likelyBytes = (events: readonly NewEvent[]): number => events.reduce((sum, { json }) => sum + json.length + 400, 0);

const deadlineSeconds = 86_400; // a day

/** The server applies the earlier of this deadline and its own. Its clock may differ from ours, so this one is far in the future. */
const optionsOf = (stream: string, expected: Revision): Message => [
  [optionField.stream, [[3, stream]]],
  expected < 0n ? [optionField.noStream, []] : [optionField.streamPosition, expected],
  [optionField.deadline, [[1, Math.ceil(Date.now() / 1000) + deadlineSeconds]]],
];
