// Encodes and decodes events. Both check an event against its schema, except for row outcomes: an import has hundreds of thousands of them,
// and one typed function builds them.
import { actorOf, type Principal } from "../domain/principal.js";
import type { EventMetadata, NewEvent, StoredEvent } from "../ports/eventStore.js";
import { type EventDataOf, type EventType, type EventTypeOn, eventSchemas, isEventOn, isEventType, type StreamKind } from "./registry.js";
import { type Upcasters, upcast, upcasters, versionOf } from "./upcasters.js";

/** Who caused the events. Pass the same object for all events of one command, so that `encode` makes their metadata only once. */
export interface EventContext {
  readonly organisation: string;
  readonly by: Principal;
  /** The request or command that caused the events. */
  readonly correlationId: string;
}

type Recorded<T extends EventType> = Omit<StoredEvent, "type" | "data"> & { readonly type: T; readonly data: EventDataOf<T> };
export type RecordedEvent = { [T in EventType]: Recorded<T> }[EventType];
/** A recorded event of one kind of stream. */
export type RecordedEventOn<S extends StreamKind> = { [T in EventTypeOn<S>]: Recorded<T> }[EventTypeOn<S>];

/** A stored event that this version of the service cannot read. */
export class UnreadableEvent extends Error {
  override readonly name = "UnreadableEvent";
  constructor(event: StoredEvent, reason: string, options?: ErrorOptions) {
    super(`${event.type} at ${event.stream}@${event.revision} cannot be read: ${reason}`, options);
  }
}

/**
 * From these versions on, decoding sets `at` to the time at which the event store recorded the event. The stored `at` is the time of the
 * decision, which is earlier: somebody may have read the tables as of that time before they had the event.
 */
const timedByLog: { readonly [T in EventType]?: number } = { ImportCompleted: 3, RowsReversed: 2 };

const uncheckedTypes: ReadonlySet<string> = new Set<EventType>(["RowAccepted", "RowRejected"]);
const metadataCache = new WeakMap<EventContext, Map<number, EventMetadata>>();

export function encode<T extends EventType>(type: T, data: EventDataOf<T>, context: EventContext, id: string): NewEvent {
  const checked = uncheckedTypes.has(type) ? data : eventSchemas[type].parse(data);
  return { id, type, json: JSON.stringify(checked), metadata: metadata(context, versionOf(type)) };
}

/** Undefined for an unknown type, which callers may skip: another program's event, or one of a later version of the service. */
export function decode(stored: StoredEvent, steps: Upcasters = upcasters): RecordedEvent | undefined {
  const { type } = stored;
  if (!isEventType(type)) return undefined;
  const version = stored.metadata.v;
  const current = versionOf(type, steps);
  if (version === current && uncheckedTypes.has(type)) {
    if (typeof stored.data !== "object" || stored.data === null) throw new UnreadableEvent(stored, "its data is not an object");
    return stored as RecordedEvent;
  }
  if (!Number.isInteger(version) || version < 1) throw new UnreadableEvent(stored, "its metadata names no schema version");
  if (version > current) throw new UnreadableEvent(stored, `it has version ${version}, this service knows ${current}: update the service`);
  const parsed = eventSchemas[type].safeParse(upcast(type, version, stored.data, stored.metadata, steps));
  if (!parsed.success) throw new UnreadableEvent(stored, "its data does not fit its schema", { cause: parsed.error });
  const isTimedByLog = version >= (timedByLog[type] ?? Number.POSITIVE_INFINITY);
  const data = isTimedByLog ? { ...parsed.data, at: recordedTime(stored, parsed.data as { at: string }) } : parsed.data;
  return { ...stored, data } as RecordedEvent;
}

/** The end of the millisecond in which the event was recorded; the time of the decision if that is later, because clocks differ. */
const recordedTime = ({ recordedAt }: StoredEvent, { at }: { readonly at: string }): string =>
  new Date(Math.max(recordedAt.getTime() + 1, Date.parse(at))).toISOString();

/** `decode` for a stream of a known kind. Throws for an event that belongs on another kind of stream. */
export function decodeOn<S extends StreamKind>(kind: S, stored: StoredEvent): RecordedEventOn<S> | undefined {
  if (isEventType(stored.type) && !isEventOn(kind, stored.type)) throw new UnreadableEvent(stored, "it does not belong in this stream");
  return decode(stored) as RecordedEventOn<S> | undefined;
}

function metadata(context: EventContext, v: number): EventMetadata {
  const cached = metadataCache.get(context)?.get(v);
  if (cached) return cached;
  const created = {
    organisation: context.organisation,
    actor: actorOf(context.by),
    $correlationId: context.correlationId,
    v,
  };
  metadataCache.set(context, (metadataCache.get(context) ?? new Map<number, EventMetadata>()).set(v, created));
  return created;
}
