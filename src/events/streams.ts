// src/events is the storage format: every version of the service must read what an older one has written. Fields are added, never renamed
// or removed. A change of meaning is a new event, or a new version with an upcaster in upcasters.ts. This file has the streams' names.
import type { EventStore } from "../ports/eventStore.js";
import { decode } from "./codec.js";
import type { StreamKind } from "./registry.js";

/** The stream of the event log itself: LogCreated. */
export const logStream = "waybill";

/** What the names of streams begin with. An id follows, except in the name of the event log's own stream. */
export const streamPrefix = {
  log: logStream,
  import: "import-",
  /** Its id is that of the import whose rows are corrected. */
  corrections: "corrections-",
  /** Its id is that of the import whose accepted rows are reversed. */
  reversals: "reversals-",
  organisation: "organisation-",
  /** One request for quotes. */
  quotes: "quotes-",
  /** A single quote, as older versions recorded them. */
  quote: "quote-",
  /** Its id is the country's code. */
  localities: "localities-",
  /** A member, who is a person. The stream is deleted when the person must be forgotten. */
  member: "member-",
  /** A member's sign-ins of one month: `signInsId`. Deleted when its retention time is over. */
  signIns: "sign-ins-",
} as const satisfies Record<StreamKind, string>;

/** Makes the name of a stream from its id. */
export const streamOf = Object.fromEntries(
  Object.entries(streamPrefix).map(([kind, prefix]) => [kind, (id: string) => (kind === "log" ? logStream : prefix + id)]),
) as Readonly<Record<StreamKind, (id: string) => string>>;

/** Reads the event log's id; undefined when it has none yet. */
export async function readLogId(eventStore: Pick<EventStore, "read">): Promise<string | undefined> {
  for await (const stored of eventStore.read(logStream, { max: 1 })) {
    const event = decode(stored);
    if (event?.type === "LogCreated") return event.data.logId;
    throw new Error(`the log's stream ${logStream} begins with ${stored.type}, not with LogCreated`);
  }
  return undefined;
}
