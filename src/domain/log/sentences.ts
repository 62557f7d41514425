// The sentences that the log shows for events.
import { createNameOf, type Principal, removedMember } from "../principal.js";
import type { AboutKind, LogDetails, LogEntry, LogTopic } from "./entry.js";

/** The current names of things, by id. */
export type LogNames = Readonly<Record<Exclude<AboutKind, "catalogue" | "columns">, ReadonlyMap<string, string>>>;

/** `about` is the name of the thing, which a page may link to. */
export interface LogSentence {
  readonly before: string;
  readonly about: string;
  readonly after: string;
}

interface LogText {
  readonly what: LogTopic;
  readonly about: AboutKind;
  /** The text between the actor and the thing. */
  readonly did: Words;
  readonly after?: Words;
}

type Words = string | ((details: LogDetails) => string);

const counted = (count = 0, one = "row", many = `${one}s`) => (count === 1 ? `1 ${one}` : `${count} ${many}`);
const signInWays = { password: "with a password", link: "with a link", singleSignOn: "by single sign-on" } as const;

export const logSentences = {
  ApiKeyCreated: { what: "keys", about: "key", did: "created the key" },
  ApiKeyRotated: { what: "keys", about: "key", did: "rotated the key" },
  ApiKeyRevoked: { what: "keys", about: "key", did: "revoked the key" },
  MemberInvited: { what: "members", about: "member", did: "invited", after: ({ role }) => ` as ${role}` },
  MemberLinkMade: { what: "members", about: "member", did: "made a new sign-in link for" },
  MemberJoined: { what: "members", about: "member", did: ({ how }) => `joined ${signInWays[how ?? "link"]}` },
  MemberPasswordSet: { what: "members", about: "member", did: "chose a password" },
  MemberRoleChanged: { what: "members", about: "member", did: "changed the role of", after: ({ role }) => ` to ${role}` },
  MemberRenamed: { what: "members", about: "member", did: "changed their name" },
  MemberRemoved: { what: "members", about: "member", did: "removed" },
  MemberForgotten: { what: "members", about: "member", did: "erased" },
  MemberSignedIn: { what: "sign-ins", about: "member", did: ({ how }) => `signed in ${signInWays[how ?? "password"]}` },
  MemberSignInRefused: { what: "sign-ins", about: "member", did: "A sign-in as", after: " was refused: the password was wrong" },
  WebhookAdded: { what: "webhooks", about: "webhook", did: "added the webhook" },
  WebhookChanged: {
    what: "webhooks",
    about: "webhook",
    did: ({ newSecret }) => (newSecret ? "made a new secret for the webhook" : "changed the webhook"),
  },
  WebhookRemoved: { what: "webhooks", about: "webhook", did: "removed the webhook" },
  WebhookPaused: { what: "webhooks", about: "webhook", did: "paused the webhook" },
  WebhookResumed: { what: "webhooks", about: "webhook", did: "resumed the webhook" },
  CatalogueApplied: { what: "catalogue", about: "catalogue", did: "applied", after: ({ changes }) => (changes ? `: ${changes}` : "") },
  ImportRequested: {
    what: "imports",
    about: "import",
    did: ({ kind, source, count }) =>
      count === undefined ? `${source === "file" ? "uploaded" : "sent"} ${kind}:` : `sent corrections of ${counted(count)} of`,
  },
  ColumnsMapped: {
    what: "imports",
    about: "columns",
    did: "chose what the columns mean in",
    after: ({ count }) => ` with ${counted(count, "heading")}`,
  },
  ImportCancelled: { what: "imports", about: "import", did: "cancelled the import" },
  RowsDismissed: { what: "corrections", about: "import", did: ({ count }) => `dismissed ${counted(count, "rejected row")} of` },
  RowsReopened: { what: "corrections", about: "import", did: ({ count }) => `reopened ${counted(count, "dismissed row")} of` },
  RowsReversed: {
    what: "reversals",
    about: "import",
    did: ({ all, count, kind }) => `reversed ${all ? "all" : countedReversals(count, kind)} of`,
    after: ({ included }) => (included ? ", together with the import that it corrects" : ""),
  },
} as const satisfies Readonly<Record<string, LogText>>;

const countedReversals = (count: number | undefined, kind: LogDetails["kind"]): string =>
  kind === "shipments" ? counted(count, "shipment") : counted(count, "activity", "activities");

export type LoggedEvent = keyof typeof logSentences;
export const isLoggedEvent = (type: string): type is LoggedEvent => Object.hasOwn(logSentences, type);

/** Events about the person who caused them: the sentence names the person once. */
const eventsAboutActor = ["MemberJoined", "MemberPasswordSet", "MemberRenamed", "MemberSignedIn"];

export function sentenceOf({ event, what, by, about, details }: LogEntry, names: LogNames): LogSentence {
  const { did, after = "" }: LogText = isLoggedEvent(event) ? logSentences[event] : { what, about: about.kind, did: `caused ${event} of` };
  const inWords = (words: Words) => (typeof words === "string" ? words : words(details));
  const [action, rest] = [inWords(did), inWords(after)];
  const thingText = thingName(about, names);
  if (event === "MemberSignInRefused") return { before: action, about: thingText, after: rest };
  const actor = actorAtStart(by, names);
  if (eventsAboutActor.includes(event) && by.id === about.id) return { before: "", about: actor, after: ` ${action}` };
  return { before: `${actor} ${action}`, about: thingText, after: rest };
}

export const sentenceText = ({ before, about, after }: LogSentence): string => `${before}${before === "" ? "" : " "}${about}${after}`;

function thingName({ kind, id }: LogEntry["about"], names: LogNames): string {
  if (kind === "catalogue") return `version ${id} of the catalogue`;
  if (kind === "columns") return `files of ${id}`;
  return names[kind].get(id) ?? (kind === "member" ? removedMember : id);
}

/** The actor's name. A key's name has no `key` before it. */
export const actorName = ({ kind, id }: Principal, names: LogNames): string =>
  kind === "key" ? (names.key.get(id) ?? id) : createNameOf(names.key, names.member)({ kind, id });

/** The actor at the beginning of a sentence. A person's name or e-mail keeps its first letter's case. */
function actorAtStart(by: Principal, names: LogNames): string {
  const known = by.kind === "member" ? names.member.get(by.id) : undefined;
  if (known !== undefined) return known;
  const name = actorName(by, names);
  return by.kind === "key" ? `The key ${name}` : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** An entry as programs get it, with present names. */
export function namedEntry(entry: LogEntry, names: LogNames) {
  const { id, at, by, what, event, about, stream, revision } = entry;
  const actor = { ...by, name: actorName(by, names) };
  const text = sentenceText(sentenceOf(entry, names));
  return { id, at: at.toISOString(), by: actor, what, event, text, about, stream, revision: Number(revision) };
}
