// The events of an append as the protocol's BatchAppendReq carries them: one buffer, in which each is encoded when it is added.
import type { EventMetadata, NewEvent } from "../../../ports/eventStore.js";
import { encodeMessage, messageReader, nestedReader, nestedText, property, repeatedField, varintBytes, writeHead } from "./protobuf.js";

const proposedField = { id: 1, metadata: 2, customMetadata: 3, data: 4 } as const;
/** The request's field for events. */
const eventsField = 3;

/** The events take the bytes from `start` to `end`. The bytes before `start` are free for the head of the request. */
export type ProposedEvents = ReturnType<typeof createProposedEvents>;

export const createProposedEvents = (start: number, likelyBytes: number) => ({
  bytes: Buffer.allocUnsafe(start + likelyBytes),
  start,
  end: start,
  count: 0,
});

/** Returns an empty object for the next events, in the same memory. The argument is not changed. */
export const clearEvents = (events: ProposedEvents): ProposedEvents => ({ ...events, end: events.start, count: 0 });

const idLength = 36;
/** The bytes before an event's id, which is a text in a message of its own. */
const idHead = Buffer.from([(proposedField.id << 3) | 2, idLength + 2, (2 << 3) | 2, idLength]);

/** Adds the event, or returns false if the events would then take more than `maxBytes`. */
export function addEvent(events: ProposedEvents, { id, type, json, metadata }: NewEvent, maxBytes: number): boolean {
  if (id.length !== idLength) throw new TypeError(`${id} is not an event id`);
  const description = encodeDescription(type, metadata);
  const dataBytes = Buffer.byteLength(json);
  const length = idHead.length + idLength + description.length + fieldBytes(dataBytes);
  if (events.end - events.start + fieldBytes(length) > maxBytes) return false;
  growBuffer(events, fieldBytes(length));
  const { bytes } = events;
  let at = writeHead(bytes, events.end, eventsField, length);
  bytes.set(idHead, at);
  at += idHead.length;
  at += bytes.write(id, at, "latin1");
  bytes.set(description, at);
  at = writeHead(bytes, at + description.length, proposedField.data, dataBytes);
  events.end = at + bytes.write(json, at);
  events.count += 1;
  return true;
}

function growBuffer(events: ProposedEvents, length: number): void {
  if (events.end + length <= events.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * events.bytes.length + length);
  larger.set(events.bytes.subarray(0, events.end));
  events.bytes = larger;
}

/** The size of a field whose content has `length` bytes. */
const fieldBytes = (length: number): number => 1 + varintBytes(length) + length;

const descriptions = new WeakMap<EventMetadata, Map<string, Buffer>>();

/** Encodes an event's type, content type and metadata. The events of an import share one metadata object, so each type is encoded once. */
function encodeDescription(type: string, metadata: EventMetadata): Buffer {
  const cached = descriptions.get(metadata)?.get(type);
  if (cached) return cached;
  const description = encodeMessage([
    [proposedField.metadata, property("type", type)],
    [proposedField.metadata, property("content-type", "application/json")],
    [proposedField.customMetadata, JSON.stringify(metadata)],
  ]);
  descriptions.set(metadata, (descriptions.get(metadata) ?? new Map<string, Buffer>()).set(type, description));
  return description;
}

const readEventId = nestedReader(() => ({ id: "" }), { [proposedField.id]: ["id", nestedText(2)] });
const readEventIds = messageReader(() => ({ events: [] as { id: string }[] }), { [eventsField]: ["events", repeatedField(readEventId)] });

/** The ids of the events in a request. They are seldom needed, so they are read back from its bytes instead of being kept. */
export const eventIdsIn = (request: Buffer): string[] => readEventIds(request).events.map(({ id }) => id);
