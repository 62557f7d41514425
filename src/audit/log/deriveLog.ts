// The log of an organisation, derived from the streams alone. It has its own reading of each event, so that it does not repeat a mistake of
// the projection; the sentences and the sum of a catalogue's changes are the domain's.
import { changesInBrief } from "../../domain/catalogue/changesInBrief.js";
import { type LogDetails, type LogEntry, signInDays } from "../../domain/log/entry.js";
import type { LogNames } from "../../domain/log/sentences.js";
import type { Principal } from "../../domain/principal.js";
import { decode, type RecordedEvent, UnreadableEvent } from "../../events/codec.js";
import { monthEnd } from "../../events/signInEvents.js";
import { streamPrefix } from "../../events/streams.js";
import { type EventStore, type Position, type StoredEvent, shareOf } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";

export interface DeriveOptions {
  readonly eventStore: EventStore;
  readonly organisationId: string;
  readonly until: Position;
  readonly signal: AbortSignal;
  readonly findings: Findings;
  readonly onProgress?: ((progress: { events: number; share: number }) => void) | undefined;
}

export interface DerivedLog {
  /** By event id, in the order of the streams' log. */
  readonly entries: Map<string, LogEntry>;
  readonly names: LogNames;
}

const prefixes = ["organisation", "member", "signIns", "import", "corrections", "reversals"] as const;

export async function deriveLog(options: DeriveOptions): Promise<DerivedLog> {
  const { eventStore, organisationId, until, signal, findings, onProgress } = options;
  const state = newState();
  let events = 0;
  await eventStore.replay({ prefixes: prefixes.map((kind) => streamPrefix[kind]), until, signal }, async (batch) => {
    for (const stored of batch.events) if (belongsTo(stored, organisationId)) take(state, stored, findings);
    events += batch.events.length;
    onProgress?.({ events, share: shareOf(batch.position, until) });
  });
  return { entries: state.entries, names: state.names };
}

const belongsTo = ({ stream, metadata, type }: StoredEvent, organisationId: string): boolean =>
  type !== "RowAccepted" &&
  type !== "RowRejected" &&
  (stream.startsWith(streamPrefix.organisation)
    ? stream === `${streamPrefix.organisation}${organisationId}`
    : metadata.organisation === organisationId);

const newState = () => ({
  entries: new Map<string, LogEntry>(),
  names: { key: new Map(), member: new Map(), webhook: new Map(), import: new Map() } as Record<keyof LogNames, Map<string, string>>,
  /** The generation of each endpoint's secret. */
  generations: new Map<string, number>(),
});
type State = ReturnType<typeof newState>;

function take(state: State, stored: StoredEvent, findings: Findings): void {
  const event = readEvent(stored, findings);
  if (!event) return;
  learnNames(state, event);
  if (event.type === "MemberErased") for (const [id, { stream }] of state.entries) if (stream === event.stream) state.entries.delete(id);
  const told = tell(state, event);
  if (!told || told.by.kind === "worker") return;
  const { id, stream, revision } = event;
  const { by, at, what, about, ...details } = told;
  const [kind, aboutId] = about;
  state.entries.set(id, {
    id,
    at: new Date(at),
    by,
    what,
    event: event.type,
    about: { kind, id: aboutId },
    details,
    stream,
    revision: String(revision),
  });
}

function readEvent(stored: StoredEvent, findings: Findings): RecordedEvent | undefined {
  try {
    return decode(stored);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    findings.add({ organisationId: stored.metadata.organisation, sentence: error.message });
    return undefined;
  }
}

const memberOf = ({ stream }: RecordedEvent): string => stream.slice(streamPrefix.member.length);

function learnNames({ names }: State, event: RecordedEvent): void {
  if (event.type === "ApiKeyCreated") {
    const { keyId, name, prefix } = event.data;
    for (const id of [prefix, keyId]) if (!names.key.has(id)) names.key.set(id, `${name} (${prefix})`);
  }
  if (event.type === "ApiKeyRotated") {
    const { keyId, prefix } = event.data;
    names.key.set(keyId, `${names.key.get(keyId)?.replace(/ \([^(]*\)$/, "") ?? keyId} (${prefix})`);
  }
  if (event.type === "MemberInvited") names.member.set(memberOf(event), event.data.name ?? event.data.email);
  if (event.type === "MemberRenamed") names.member.set(memberOf(event), event.data.name);
  if (event.type === "MemberErased") names.member.delete(memberOf(event));
  if (event.type === "WebhookAdded" || event.type === "WebhookChanged") names.webhook.set(event.data.endpointId, event.data.url);
  if (event.type === "ImportRequested" && event.data.sourceDetails !== "") names.import.set(event.data.importId, event.data.sourceDetails);
}

interface Told extends LogDetails {
  readonly by: Principal;
  readonly at: string;
  readonly what: LogEntry["what"];
  readonly about: readonly [kind: LogEntry["about"]["kind"], id: string];
}

/** What the log says of an event; undefined for one that it does not show. */
function tell({ generations }: State, event: RecordedEvent): Told | undefined {
  switch (event.type) {
    case "ApiKeyCreated":
    case "ApiKeyRotated":
    case "ApiKeyRevoked":
      return { ...caused(event), what: "keys", about: ["key", event.data.keyId] };
    case "MemberInvited":
    case "MemberRoleChanged":
      return { ...caused(event), what: "members", about: ["member", memberOf(event)], role: event.data.role };
    case "MemberJoined":
      return { ...caused(event), what: "members", about: ["member", memberOf(event)], how: event.data.how };
    case "MemberLinkMade":
    case "MemberPasswordSet":
    case "MemberRenamed":
    case "MemberRemoved":
      return { ...caused(event), what: "members", about: ["member", memberOf(event)] };
    case "MemberForgotten":
      return { ...caused(event), what: "members", about: ["member", event.data.memberId] };
    case "MemberSignedIn":
      return { ...caused(event), what: "sign-ins", about: ["member", event.data.memberId], how: event.data.how };
    case "MemberSignInRefused":
      return { ...caused(event), what: "sign-ins", about: ["member", event.data.memberId] };
    case "WebhookAdded":
    case "WebhookChanged": {
      const { endpointId } = event.data;
      const generation = event.type === "WebhookAdded" ? 1 : event.data.generation;
      const newSecret = generation > (generations.get(endpointId) ?? 1);
      generations.set(endpointId, generation);
      return { ...caused(event), what: "webhooks", about: ["webhook", endpointId], generation, ...(newSecret ? { newSecret } : {}) };
    }
    case "WebhookRemoved":
    case "WebhookPaused":
    case "WebhookResumed":
      return { ...caused(event), what: "webhooks", about: ["webhook", event.data.endpointId] };
    case "CatalogueApplied": {
      const { version, changes } = event.data;
      return { ...caused(event), what: "catalogue", about: ["catalogue", String(version)], changes: changesInBrief(changes) };
    }
    case "ColumnsMapped": {
      const { kind, headings } = event.data;
      return { ...caused(event), what: "imports", about: ["columns", kind], count: Object.keys(headings).length };
    }
    case "ImportRequested": {
      const { importId, kind, source, corrects } = event.data;
      if (!corrects) return { ...caused(event), what: "imports", about: ["import", importId], kind, source };
      return { ...caused(event), what: "corrections", about: ["import", corrects.importId], kind, count: corrects.rows.length };
    }
    case "ImportCancelled":
      return event.data.reason === undefined ? { ...caused(event), what: "imports", about: ["import", event.data.importId] } : undefined;
    case "RowsDismissed":
    case "RowsReopened":
      return { ...caused(event), what: "corrections", about: ["import", event.data.importId], count: event.data.rows.length };
    case "RowsReversed": {
      const { importId, rows, shipments, count, includedIn } = event.data;
      const which: LogDetails = rows === "all" ? { all: true } : { kind: shipments ? "shipments" : "activities" };
      const included = includedIn ? { included: true } : {};
      return { ...caused(event), what: "reversals", about: ["import", importId], count, ...which, ...included };
    }
  }
  return undefined;
}

const caused = ({ data: { by, at } }: { readonly data: { readonly by: Principal; readonly at: string } }) => ({ by, at });

/** Sign-ins of a month whose time is over: they are deleted within an hour, so they are compared with nothing. */
export const isOver = ({ what, stream }: Pick<LogEntry, "what" | "stream">, now: Date): boolean => {
  const end = what === "sign-ins" ? monthEnd(stream) : undefined;
  return end !== undefined && end.getTime() + signInDays * 86_400_000 <= now.getTime();
};
