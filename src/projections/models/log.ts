// What people, keys and the command line did: one row per event. What workers do is left out. A row has ids and no names.
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

/** SQL condition. Sign-ins of a month that is past its retention are about to be deleted, so they are not written again. */
const isKeptSql = `(what <> 'sign-ins'
  or (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC' > now() - interval '${signInDays} days')`;

export const log: Projection = {
  name: "log",
  tables: ["log_entries"],
  comparedRowsSql: isKeptSql,

  async apply(client, { events }, { skip }) {
    const rows = events.flatMap((event) => (isLoggedEvent(event.type) ? (logRowOf(event, event.type, skip) ?? []) : []));
    await insertRows(client, rows);
    // Deletes the entries of an erased member's stream. What the person did to others stays, under an id that leads to nobody.
    const erased = events.filter(({ type }) => type === "MemberErased").map(({ stream }) => stream);
    if (erased.length > 0) await client.query("delete from log_entries where stream = any($1::text[])", [erased]);
  },
};

type LogRow = NonNullable<ReturnType<typeof logRowOf>>;

const streamKinds = Object.keys(streamEvents) as StreamKind[];

function logRowOf(stored: StoredEvent, type: LoggedEvent, skip: SkipEvent) {
  const kind = streamKinds.find((each): each is StreamKind => isEventOn(each, type) && stored.stream.startsWith(streamPrefix[each]));
  const event = kind && decodeOrSkip(kind, stored, skip);
  if (!event || !("by" in event.data) || event.data.by.kind === "worker") return undefined;
  const readFacts = logFactsOf[type] as (data: unknown, streamId: string) => ReturnType<(typeof logFactsOf)[LoggedEvent]>;
  const facts = readFacts(event.data, stored.stream.slice(streamPrefix[kind].length));
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

/** SQL condition: a change of a webhook to a higher generation than before means a new secret. */
const hasNewSecretSql = `type = 'WebhookChanged' and coalesce((details ->> 'generation')::integer, 1) > greatest(1, (
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
            case when ${hasNewSecretSql} then details || '{"newSecret": true}' else details end, stream, revision
       from added where ${isKeptSql}
     on conflict do nothing`,
    [storableJson(rows)],
  );
}

/** What the log stores of an event. */
interface LogFacts {
  /** The id of the thing that the entry is about. */
  readonly about: string;
  readonly details?: LogDetails;
  /** The topic, if it differs from the event type's usual one. */
  readonly what?: LogTopic;
}

/** `streamId` is the stream's name without its prefix, such as a member's id. */
type FactsOf<T extends EventType> = (data: EventDataOf<T>, streamId: string) => LogFacts | undefined;

const aboutKey = ({ keyId }: { readonly keyId: string }): LogFacts => ({ about: keyId });
const aboutWebhook = ({ endpointId }: { readonly endpointId: string }): LogFacts => ({ about: endpointId });

export const logFactsOf: { readonly [T in LoggedEvent]: FactsOf<T> } = {
  ApiKeyCreated: aboutKey,
  ApiKeyRotated: aboutKey,
  ApiKeyRevoked: aboutKey,
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
  WebhookRemoved: aboutWebhook,
  WebhookPaused: aboutWebhook,
  WebhookResumed: aboutWebhook,
  CatalogueApplied: ({ version, changes }) => ({ about: String(version), details: { changes: changesInBrief(changes) } }),
  ImportRequested: ({ importId, kind, source, corrects }) =>
    corrects
      ? { about: corrects.importId, details: { kind, count: corrects.rows.length }, what: "corrections" }
      : { about: importId, details: { kind, source } },
  ColumnsMapped: ({ kind, headings }) => ({ about: kind, details: { count: Object.keys(headings).length } }),
  // With a reason, the service itself cancelled the import.
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
