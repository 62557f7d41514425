// src/events is the storage format: every version of the service must read what an older one has written. Fields are added, never renamed
// or removed. A change of meaning is a new event, or a new version with an upcaster in upcasters.ts.
import type { EventStore } from "../ports/eventStore.js";
import { decode } from "./codec.js";
import type { StreamKind } from "./registry.js";

/** The stream of the log itself: LogCreated. */
export const logStream = "waybill";

export const streamPrefix = {
  log: logStream,
  import: "import-",
  corrections: "corrections-",
  reversals: "reversals-",
  organisation: "organisation-",
  quotes: "quotes-",
  quote: "quote-",
  localities: "localities-",
  member: "member-",
  signIns: "sign-ins-",
} as const satisfies Record<StreamKind, string>;

export const streamOf = {
  log: () => logStream,
  import: (importId: string) => `${streamPrefix.import}${importId}`,
  /** By the import whose rejected rows are corrected. */
  corrections: (importId: string) => `${streamPrefix.corrections}${importId}`,
  /** By the import whose accepted rows are reversed. */
  reversals: (importId: string) => `${streamPrefix.reversals}${importId}`,
  organisation: (organisationId: string) => `${streamPrefix.organisation}${organisationId}`,
  /** One request for quotes. */
  quotes: (quotesId: string) => `${streamPrefix.quotes}${quotesId}`,
  /** A single quote, as older versions recorded them. */
  quote: (quoteId: string) => `${streamPrefix.quote}${quoteId}`,
  localities: (country: string) => `${streamPrefix.localities}${country}`,
  /** A person; deleted when the person is to be forgotten. */
  member: (memberId: string) => `${streamPrefix.member}${memberId}`,
  /** A member's sign-ins of one month: `signInsId`. Deleted when its time is over. */
  signIns: (memberAndMonth: string) => `${streamPrefix.signIns}${memberAndMonth}`,
} as const satisfies Record<StreamKind, (id: string) => string>;

/** Reads the log's id; undefined when the log has none yet. */
export async function readLogId(eventStore: Pick<EventStore, "read">): Promise<string | undefined> {
  for await (const stored of eventStore.read(logStream, { max: 1 })) {
    const event = decode(stored);
    if (event?.type === "LogCreated") return event.data.logId;
    throw new Error(`the log's stream ${logStream} begins with ${stored.type}, not with LogCreated`);
  }
  return undefined;
}
