// By what a log is recognised: an event that the tables have. A position alone says nothing, since a server goes on from any position,
// also where it has no event.
import { decode } from "../../events/codec.js";
import { logStream } from "../../events/streams.js";
import type { Position, StoredEvent } from "../../ports.js";
import { landmarkPrefixes } from "../allProjections.js";

export interface Landmark {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
}

export const isLandmark = ({ stream }: StoredEvent): boolean => landmarkPrefixes.some((prefix) => stream.startsWith(prefix));

/** The last event that can be found again. */
export function landmarkIn(events: readonly StoredEvent[]): Landmark | undefined {
  const event = events.findLast(isLandmark);
  return event && { id: event.id, stream: event.stream, revision: event.revision, position: event.position };
}

/** The log's own id, where it passes by. */
export function logIdIn(events: readonly StoredEvent[]): string | undefined {
  const stored = events.find(({ stream, type }) => stream === logStream && type === "LogCreated");
  const event = stored && decode(stored);
  return event?.type === "LogCreated" ? event.data.logId : undefined;
}
