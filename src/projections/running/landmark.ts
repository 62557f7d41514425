// A landmark is an applied event by which a start recognises the log that the tables were built from. A position is not enough: another
// log may have another event at the same position.
import { decode } from "../../events/codec.js";
import { logStream } from "../../events/streams.js";
import type { Position, StoredEvent } from "../../ports/eventStore.js";
import { landmarkPrefixes } from "../allProjections.js";

export interface Landmark {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
}

export const isLandmark = ({ stream }: StoredEvent): boolean => landmarkPrefixes.some((prefix) => stream.startsWith(prefix));

/** The last event of a stream that is never deleted. */
export function landmarkIn(events: readonly StoredEvent[]): Landmark | undefined {
  const event = events.findLast(isLandmark);
  return event && { id: event.id, stream: event.stream, revision: event.revision, position: event.position };
}

/** The log's id, if LogCreated is among the events. */
export function logIdIn(events: readonly StoredEvent[]): string | undefined {
  const stored = events.find(({ stream, type }) => stream === logStream && type === "LogCreated");
  const event = stored && decode(stored);
  return event?.type === "LogCreated" ? event.data.logId : undefined;
}
