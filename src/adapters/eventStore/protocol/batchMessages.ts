// Writes the protocol's BatchAppendReq, the same message that the client's generated code would send. That code turns every event's data into
// base64 and back and serialises each message twice: some 25 us per event, against 1 here.

import { randomUUID } from "node:crypto";
import type { NewEvent, Revision } from "../../../ports/eventStore.js";
import { addEvent, noEvents, type ProposedEvents } from "./proposedEvents.js";
import { encode, type Message } from "./protobuf.js";

const request = { correlationId: 1, options: 2, isFinal: 4 } as const;
const option = { stream: 1, streamPosition: 2, noStream: 3, deadline: 6 } as const;

export type BatchRequest = ReturnType<typeof batchRequest>;

/** The most bytes that a request takes besides its events. */
export const headBytes = (stream: string): number => 128 + Buffer.byteLength(stream);

/** `events` must have free bytes before them, into which the request's head is written. The server repeats the correlation id in its answer. */
export function batchRequest(stream: string, events: ProposedEvents, expected: Revision) {
  const correlationId: string = randomUUID();
  const head = encode([
    [request.correlationId, [[2, correlationId]]],
    [request.options, optionsOf(stream, expected)],
    [request.isFinal, 1],
  ]);
  const from = events.start - head.length;
  events.bytes.set(head, from);
  return { correlationId, bytes: events.bytes.subarray(from, events.end) };
}

/** Undefined when the request would be more than `maxBytes`. */
export function requestOf(stream: string, events: readonly NewEvent[], expected: Revision, maxBytes: number): BatchRequest | undefined {
  const proposed = noEvents(headBytes(stream), likelyBytes(events));
  for (const event of events) if (!addEvent(proposed, event, maxBytes)) return undefined;
  const made = batchRequest(stream, proposed, expected);
  return made.bytes.length > maxBytes ? undefined : made;
}

/** Enough for most appends; the buffer grows for larger ones. */
const likelyBytes = (events: readonly NewEvent[]): number => events.reduce((sum, { json }) => sum + json.length + 400, 0);

const secondsAhead = 86_400;

/** The server takes the earlier of this deadline and its own. The deadline is a clock time, and clocks differ, so it is a day ahead. */
const optionsOf = (stream: string, expected: Revision): Message => [
  [option.stream, [[3, stream]]],
  expected < 0n ? [option.noStream, []] : [option.streamPosition, expected],
  [option.deadline, [[1, Math.ceil(Date.now() / 1000) + secondsAhead]]],
];
