// What people, keys and the command line did: one row per such event. What workers do is not in it. A row has ids and no names.
import type { PoolClient } from "pg";
import { changesInBrief } from "../../domain/catalogue/changesInBrief.js";
import { type LogDetails, type LogTopic, signInDays } from "../../domain/log/entry.js";
import { isLoggedEvent, type LoggedEvent, logSentences } from "../../domain/log/sentences.js";
import { actorOf } from "../../domain/principal.js";
import { type EventDataOf, type EventType, isEventOn, type StreamKind, streamEvents } from "../../events/registry.js";
import { streamPrefix } from "../../events/streams.js";
import type { StoredEvent } from "../../ports/eventStore.js";
import type { Projection } from "../projection.js";
import { decodeOrSkip, type SkipEvent } from "../sortedBatch.js";
import { storableJson } from "../tables/storableJson.js";

/** SQL. Sign-ins of a month whose time is over are about to be deleted, and are not written again. */
const isKept = `(what <> 'sign-ins'
  or (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC' > now() - interval '${signInDays} days')`;

export const log: Projection = {
  name: "log",
  tables: ["log_entries"],
  compared: isKept,

  async apply(client, { events }, { skip }) {
    const rows = events.flatMap((event) => (isLoggedEvent(event.type) ? (rowOf(event, event.type, skip) ?? []) : []));
    await insertRows(client, rows);
    // An erased member's own entries go. What the person did to others stays, under an id that leads to nobody.
    const erased = events.filter(({ type }) => type === "MemberErased").map(({ stream }) => stream);
    if (erased.length > 0) await client.query("delete from log_entries where stream = any($1::text[])", [erased]);
  },
};

type LogRow = NonNullable<ReturnType<typeof rowOf>>;

const kinds = Object.keys(streamEvents) as StreamKind[];

function rowOf(stored: StoredEvent, type: LoggedEvent, skip: SkipEvent) {
  const kind = kinds.find((each): each is StreamKind => isEventOn(each, type) && stored.stream.startsWith(streamPrefix[each]));
  const event = kind && decodeOrSkip(kind, stored, skip);
  if (!event || !("by" in event.data) || event.data.by.kind === "worker") return undefined;
  const read = logFactsOf[type] as (data: unknown, streamId: string) => ReturnType<(typeof logFactsOf)[LoggedEvent]>;
  const facts = read(event.data, stored.stream.slice(streamPrefix[kind].length));
  if (!facts) return undefined;
  return {
    eventId: stored.id,
    organisationId: stored.metadata.organisation,
    at: event.data.at,
    position: String(stored.position.commit),
    actor: actorOf(event.data.by),
    what: facts.what ?? logSentences[type].what,
    type,
    aboutKind: logSentences[type].about,
    aboutId: facts.about,
    details: facts.details ?? {},
    stream: stored.stream,
    revision: String(stored.revision),
  };
}

/** SQL. A webhook's change with a higher generation than before means a new secret. */
const hasNewSecret = `type = 'WebhookChanged' and coalesce((details ->> 'generation')::integer, 1) > greatest(1, (
  select max((earlier.details ->> 'generation')::integer)
    from (select organisation_id, what, about_id, position, details from log_entries
          union all select "organisationId", what, "aboutId", position, details from added) as earlier
   where earlier.organisation_id = added."organisationId" and earlier.what = 'webhooks' and earlier.about_id = added."aboutId"
     and earlier.position < added.position))`;

async function insertRows(client: PoolClient, rows: readonly LogRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query(
    `/* prepared */ with added as (
       select * from jsonb_to_recordset($1) as r ("eventId" uuid, "organisationId" text, at timestamptz, position bigint, actor text, what text,
         type text, "aboutKind" text, "aboutId" text, details jsonb, stream text, revision bigint))
     insert into log_entries (event_id, organisation_id, at, position, actor, what, type, about_kind, about_id, details, stream, revision)
     select "eventId", "organisationId", at, position, actor, what, type, "aboutKind", "aboutId",
            case when ${hasNewSecret} then details || '{"newSecret": true}' else details end, stream, revision
       from added where ${isKept}
     on conflict do nothing`,
    [storableJson(rows)],
  );
}

// What the log keeps of each event that it shows.
interface LogFacts {
  /** The id of the thing that the entry is about. */
  readonly about: string;
  readonly details?: LogDetails;
  /** Where it is not the event's usual one. */
  readonly what?: LogTopic;
}

/** The stream's name without its prefix: the id of the member whose event it is. */
type FactsOf<T extends EventType> = (data: EventDataOf<T>, streamId: string) => LogFacts | undefined;

const ofKey = ({ keyId }: { readonly keyId: string }): LogFacts => ({ about: keyId });
const ofWebhook = ({ endpointId }: { readonly endpointId: string }): LogFacts => ({ about: endpointId });

export const logFactsOf: { readonly [T in LoggedEvent]: FactsOf<T> } = {
  ApiKeyCreated: ofKey,
  ApiKeyRotated: ofKey,
  ApiKeyRevoked: ofKey,
  MemberInvited: ({ role }, memberId) => ({ about: memberId, details: { role } }),
  MemberLinkMade: (_, memberId) => ({ about: memberId }),
  MemberJoined: ({ how }, memberId) => ({ about: memberId, details: { how } }),
  MemberPasswordSet: (_, memberId) => ({ about: memberId }),
  MemberRoleChanged: ({ role }, memberId) => ({ about: memberId, details: { role } }),
  MemberRenamed: (_, memberId) => ({ about: memberId }),
  MemberRemoved: (_, memberId) => ({ about: memberId }),
  MemberForgotten: ({ memberId }) => ({ about: memberId }),
  MemberSignedIn: ({ memberId, how }) => ({ about: memberId, details: { how } }),
  MemberSignInRefused: ({ memberId }) => ({ about: memberId }),
  WebhookAdded: ({ endpointId }) => ({ about: endpointId, details: { generation: 1 } }),
  WebhookChanged: ({ endpointId, generation }) => ({ about: endpointId, details: { generation } }),
  WebhookRemoved: ofWebhook,
  WebhookPaused: ofWebhook,
  WebhookResumed: ofWebhook,
  CatalogueApplied: ({ version, changes }) => ({ about: String(version), details: { changes: changesInBrief(changes) } }),
  ImportRequested: ({ importId, kind, source, corrects }) =>
    corrects
      ? { about: corrects.importId, details: { kind, count: corrects.rows.length }, what: "corrections" }
      : { about: importId, details: { kind, source } },
  ColumnsMapped: ({ kind, headings }) => ({ about: kind, details: { count: Object.keys(headings).length } }),
  // With a reason the service has cancelled it by itself.
  ImportCancelled: ({ importId, reason }) => (reason === undefined ? { about: importId } : undefined),
  RowsDismissed: ({ importId, rows }) => ({ about: importId, details: { count: rows.length } }),
  RowsReopened: ({ importId, rows }) => ({ about: importId, details: { count: rows.length } }),
  RowsReversed: ({ importId, rows, shipments, count, includedIn }) => ({
    about: importId,
    details: {
      count,
      ...(rows === "all" ? { all: true } : { kind: shipments ? "shipments" : "activities" }),
      ...(includedIn ? { included: true } : {}),
    },
  }),
};
