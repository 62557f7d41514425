// The events of an append as the protocol's BatchAppendReq carries them: one buffer, in which each is encoded when it is added.
import type { EventMetadata, NewEvent } from "../../../ports/eventStore.js";
import { encode, message, property, repeated, textIn, varintBytes, wholeMessage, writeHead } from "./protobuf.js";

const proposed = { id: 1, metadata: 2, customMetadata: 3, data: 4 } as const;
/** The request's field for events. */
const proposedMessages = 3;

/** The events' bytes are those from `start` to `end`. The ones before them are left free for the head of the request. */
export type ProposedEvents = ReturnType<typeof noEvents>;

export const noEvents = (start: number, likelyBytes: number) => ({
  bytes: Buffer.allocUnsafe(start + likelyBytes),
  start,
  end: start,
  count: 0,
});

/** The same memory without the events, for the next ones; the argument is not changed. */
export const clearEvents = (events: ProposedEvents): ProposedEvents => ({ ...events, end: events.start, count: 0 });

const idLength = 36;
/** An id is a text in a message of its own. */
const idHead = Buffer.from([(proposed.id << 3) | 2, idLength + 2, (2 << 3) | 2, idLength]);

/** False, and nothing is added, when the events would be more than `mostBytes`. */
export function addEvent(events: ProposedEvents, { id, type, json, metadata }: NewEvent, mostBytes: number): boolean {
  if (id.length !== idLength) throw new TypeError(`${id} is not an event id`);
  const description = descriptionOf(type, metadata);
  const dataBytes = Buffer.byteLength(json);
  const length = idHead.length + idLength + description.length + fieldBytes(dataBytes);
  if (events.end - events.start + fieldBytes(length) > mostBytes) return false;
  makeRoom(events, fieldBytes(length));
  const { bytes } = events;
  let at = writeHead(bytes, events.end, proposedMessages, length);
  bytes.set(idHead, at);
  at += idHead.length;
  at += bytes.write(id, at, "latin1");
  bytes.set(description, at);
  at = writeHead(bytes, at + description.length, proposed.data, dataBytes);
  events.end = at + bytes.write(json, at);
  events.count += 1;
  return true;
}

function makeRoom(events: ProposedEvents, length: number): void {
  if (events.end + length <= events.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * events.bytes.length + length);
  larger.set(events.bytes.subarray(0, events.end));
  events.bytes = larger;
}

/** The size of a field whose content has `length` bytes. */
const fieldBytes = (length: number): number => 1 + varintBytes(length) + length;

const descriptions = new WeakMap<EventMetadata, Map<string, Buffer>>();

/** Type, content type and metadata of an event. The rows of an import share the metadata object, so they are encoded once. */
function descriptionOf(type: string, metadata: EventMetadata): Buffer {
  const known = descriptions.get(metadata)?.get(type);
  if (known) return known;
  const description = encode([
    [proposed.metadata, property("type", type)],
    [proposed.metadata, property("content-type", "application/json")],
    [proposed.customMetadata, JSON.stringify(metadata)],
  ]);
  descriptions.set(metadata, (descriptions.get(metadata) ?? new Map<string, Buffer>()).set(type, description));
  return description;
}

const idOf = message(() => ({ id: "" }), { [proposed.id]: ["id", textIn(2)] });
const withIds = wholeMessage(() => ({ events: [] as { id: string }[] }), { [proposedMessages]: ["events", repeated(idOf)] });

/** The ids of the events in a request. They are asked for seldom, so they are not kept beside it. */
export const idsIn = (request: Buffer): string[] => withIds(request).events.map(({ id }) => id);
