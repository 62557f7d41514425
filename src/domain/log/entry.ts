// An entry of an organisation's log: what a person, a key or the command line did. It refers to people, keys, imports and endpoints
// by their ids, so that it holds nobody's name or e-mail.
import type { Role } from "../members.js";
import type { Principal } from "../principal.js";

/** The topics of entries, by which the log is filtered. */
export const logTopics = ["keys", "members", "sign-ins", "webhooks", "catalogue", "imports", "corrections", "reversals"] as const;
export type LogTopic = (typeof logTopics)[number];

/** The kinds of things that an entry links to. */
export const aboutKinds = ["key", "member", "webhook", "catalogue", "import", "columns"] as const;
export type AboutKind = (typeof aboutKinds)[number];

/** For how many days the log shows sign-ins. */
export const signInDays = 90;

/** What an entry's sentence says besides the actor and the thing. */
export interface LogDetails {
  readonly role?: Role;
  readonly how?: "password" | "link" | "singleSignOn";
  readonly kind?: "shipments" | "activities";
  readonly source?: "data" | "file";
  /** How many rows, activities, shipments or headings. */
  readonly count?: number;
  /** Whether a whole import was reversed. */
  readonly all?: boolean;
  /** Whether the rows were reversed together with another import. */
  readonly included?: boolean;
  /** The number of the endpoint's secret, from 1. */
  readonly generation?: number;
  /** Whether the change of a webhook made a new secret. */
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
