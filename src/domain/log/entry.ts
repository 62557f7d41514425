// The log of what people, keys and the command line did in an organisation: what an entry has. An entry names people, keys, imports and
// endpoints by their ids, so that nobody's name or e-mail is kept in it.
import type { Role } from "../members.js";
import type { Principal } from "../principal.js";

/** What an entry is about, as the log is filtered. */
export const logTopics = ["keys", "members", "sign-ins", "webhooks", "catalogue", "imports", "corrections", "reversals"] as const;
export type LogTopic = (typeof logTopics)[number];

/** Things that entries lead to. */
export const aboutKinds = ["key", "member", "webhook", "catalogue", "import", "columns"] as const;
export type AboutKind = (typeof aboutKinds)[number];

/** Sign-ins are shown for this long. */
export const signInDays = 90;

/** What the sentence says beside who did it and to what. */
export interface LogDetails {
  readonly role?: Role;
  readonly how?: "password" | "link" | "singleSignOn";
  readonly kind?: "shipments" | "activities";
  readonly source?: "data" | "file";
  /** How many rows, activities, shipments or headings. */
  readonly count?: number;
  /** A whole import. */
  readonly all?: boolean;
  /** With the reversal of another import. */
  readonly included?: boolean;
  /** Which secret an endpoint has. */
  readonly generation?: number;
  /** A webhook's change made a new secret. */
  readonly newSecret?: boolean;
  /** What changed in a catalogue, in a few words. */
  readonly changes?: string;
}

export interface LogEntry {
  /** The event's id. */
  readonly id: string;
  readonly at: Date;
  readonly by: Principal;
  readonly what: LogTopic;
  /** The event's type. */
  readonly event: string;
  readonly about: { readonly kind: AboutKind; readonly id: string };
  readonly details: LogDetails;
  readonly stream: string;
  readonly revision: string;
}
