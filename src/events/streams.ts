// src/events is the storage format: every version of the service must read what an older one has written. Fields are added, never renamed
// or removed. A change of meaning is a new event, or a new version with an upcaster in upcasters.ts.
import type { EventStore } from "../ports/eventStore.js";
import { decode } from "./codec.js";
import type { StreamKind } from "./registry.js";

/** The stream of the event log itself: LogCreated. */
export const logStream = "waybill";

/** An id follows, except in the event log's own name. */
export const streamPrefix = {
  log: logStream,
  import: "import-",
  /** By the import whose rejected rows are corrected. */
  corrections: "corrections-",
  /** By the import whose accepted rows are reversed. */
  reversals: "reversals-",
  organisation: "organisation-",
  /** One request for quotes. */
  quotes: "quotes-",
  /** A single quote, as older versions recorded them. */
  quote: "quote-",
  /** By country. */
  localities: "localities-",
  /** A person; deleted when the person is to be forgotten. */
  member: "member-",
  /** A member's sign-ins of one month: `signInsId`. Deleted when its time is over. */
  signIns: "sign-ins-",
} as const satisfies Record<StreamKind, string>;

/** The name of a stream by its id. */
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
