// Organisations, catalogue versions, API keys, webhook endpoints, column choices and locality files. A command also writes the rows that it
// changes, so that they exist when it returns. The projector applies the same events later, in case the command was killed.
import type { PoolClient } from "pg";
import { groupedBy } from "../../domain/groupedBy.js";
import { headingsKey } from "../../domain/imports/columns/headings.js";
import { actorOf } from "../../domain/principal.js";
import { maxSecrets, secretOverlapHours } from "../../domain/webhooks/endpoint.js";
import { decodeOn, type RecordedEventOn } from "../../events/codec.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type EventStore, eventsOf, noStream, type Revision, type StoredEvent } from "../../ports/eventStore.js";
import { channels } from "../../ports/notices.js";
import type { Projection } from "../projection.js";
import { decodeOrSkip, type SkipEvent } from "../sortedBatch.js";
import { applyKeyEvent } from "./apiKeys.js";
import { applyCatalogue, stageCatalogueChanges } from "./catalogues.js";

export const organisations: Projection = {
  name: "organisations",
  shape: 3, // 2 and 3 added who applied a catalogue, when, and what changed; who created a key
  tables: ["organisations", "catalogues", "catalogue_changes", "api_keys", "webhook_endpoints", "column_choices", "locality_files"],
  async apply(client, { events }, { skip }) {
    await applyOrganisationEvents(client, events, skip);
    await applyLocalityEvents(client, events, skip);
  },
};

interface OrganisationSources {
  readonly eventStore: EventStore;
  readonly inTransaction: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;
}

/** Applies the events of the organisation's stream that the rows do not include yet. */
export async function catchUpOrganisation({ eventStore, inTransaction }: OrganisationSources, organisationId: string): Promise<void> {
  await inTransaction(async (client) => {
    const includedRevision = await lockOrganisation(client, organisationId);
    const fresh = await eventsOf(eventStore, streamOf.organisation(organisationId), { from: includedRevision + 1n });
    await applyFreshEvents(client, organisationId, fresh, (event) => decodeOn("organisation", event));
  });
}

/** Applies the organisation events in a batch of the event log that the rows do not include yet. */
export async function applyOrganisationEvents(client: PoolClient, batch: readonly StoredEvent[], skip: SkipEvent): Promise<void> {
  const organisationEvents = batch.filter(({ stream }) => stream.startsWith(streamPrefix.organisation));
  for (const [stream, events] of groupedBy(organisationEvents, (event) => event.stream)) {
    const organisationId = stream.slice(streamPrefix.organisation.length);
    const includedRevision = await lockOrganisation(client, organisationId);
    const fresh = events.filter(({ revision }) => revision > includedRevision);
    await applyFreshEvents(client, organisationId, fresh, (event) => decodeOrSkip("organisation", event, skip));
  }
}

/** A command and the projector may write at the same time. The lock is advisory because before the first event there is no row to lock. */
async function lockOrganisation(client: PoolClient, organisationId: string): Promise<Revision> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('organisation ' || current_schema() || ' ' || $1, 0))", [
    organisationId,
  ]);
  const { rows } = await client.query<{ revision: string }>("select revision from organisations where id = $1", [organisationId]);
  return rows[0] ? BigInt(rows[0].revision) : noStream;
}

async function applyFreshEvents(
  client: PoolClient,
  organisationId: string,
  events: readonly StoredEvent[],
  decodeEvent: (event: StoredEvent) => RecordedEventOn<"organisation"> | undefined,
): Promise<void> {
  const recorded = events.flatMap((event) => decodeEvent(event) ?? []);
  await stageCatalogueChanges(client, organisationId, recorded);
  for (const event of recorded) {
    switch (event.type) {
      case "CatalogueEntryPut":
      case "CatalogueEntryRemoved":
        continue; // staged above
      case "CatalogueApplied":
        await applyCatalogue(client, organisationId, event);
        continue;
      case "ApiKeyCreated":
      case "ApiKeyRotated":
      case "ApiKeyRevoked":
        await applyKeyEvent(client, organisationId, event);
        continue;
      case "MemberForgotten":
        continue; // only the log shows it
      case "WebhookAdded":
      case "WebhookChanged":
      case "WebhookRemoved":
      case "WebhookPaused":
      case "WebhookResumed":
        await applyWebhookEvent(client, organisationId, event);
        continue;
      case "ColumnsMapped": {
        const { kind, by, at, ...choice } = event.data;
        await client.query(
          bindNames(
            `insert into column_choices (organisation_id, kind, headings_key, choice, chosen_by, chosen_at, revision)
             values (:organisationId, :kind, :headings, :choice, :by, :at, :revision)
             on conflict (organisation_id, kind, headings_key) do update set choice = excluded.choice, chosen_by = excluded.chosen_by,
               chosen_at = excluded.chosen_at, revision = excluded.revision`,
            {
              organisationId,
              kind,
              at,
              by: actorOf(by),
              choice: JSON.stringify(choice),
              headings: headingsKey(Object.keys(choice.headings)),
              revision: String(event.revision),
            },
          ),
        );
        continue;
      }
      case "FirstStepsPutAway":
        await client.query("update organisations set first_steps_put_away = true where id = $1", [organisationId]);
        continue;
    }
    event satisfies never;
  }
  const last = events.at(-1);
  if (!last) return;
  await client.query("update organisations set revision = $2 where id = $1 and revision < $2", [organisationId, String(last.revision)]);
}

type WebhookEvent = Extract<RecordedEventOn<"organisation">, { readonly type: `Webhook${string}` }>;

/** SQL: after a rotation the earlier secret still signs for a day, even if the next rotation follows within that day. */
const signsFromSql = `case when rotated_at > $6::timestamptz - interval '${secretOverlapHours} hours'
  then greatest(coalesce(signs_from, generation - 1), $5 - ${maxSecrets - 1}) else generation end`;

/** The caller passes each event only once and in order, for which it compares the event's revision with the organisation's row. */
async function applyWebhookEvent(client: PoolClient, organisationId: string, event: WebhookEvent): Promise<void> {
  const { endpointId, at } = event.data;
  const updateEndpoint = (assignments: string, values: readonly unknown[] = []) =>
    client.query(`update webhook_endpoints set ${assignments} where organisation_id = $1 and endpoint_id = $2`, [
      organisationId,
      endpointId,
      ...values,
    ]);
  switch (event.type) {
    case "WebhookAdded":
      await client.query(
        `insert into webhook_endpoints (endpoint_id, organisation_id, url, events, generation, added_at, added_position)
         values ($1, $2, $3, $4, 1, $5, $6) on conflict (endpoint_id) do nothing`,
        [endpointId, organisationId, event.data.url, event.data.events, at, String(event.position.commit)],
      );
      return;
    case "WebhookChanged":
      await updateEndpoint(
        `url = $3, events = $4, signs_from = case when generation >= $5 then signs_from else ${signsFromSql} end,
         rotated_at = case when generation < $5 then $6::timestamptz else rotated_at end, generation = $5`,
        [event.data.url, event.data.events, event.data.generation, at],
      );
      return;
    case "WebhookRemoved":
      await updateEndpoint("removed_at = $3, removed_because = $4", [at, event.data.reason ?? null]);
      return;
    case "WebhookPaused":
      await updateEndpoint("paused_at = $3, paused_because = $4", [at, event.data.reason ?? null]);
      return;
    case "WebhookResumed":
      await updateEndpoint("paused_at = null, paused_because = null");
      return;
  }
  event satisfies never;
}

/** Reads only the newest event of the country's stream, which has the whole state. */
export async function catchUpLocalities(stores: { eventStore: EventStore; database: Database }, country: string): Promise<void> {
  const last = await stores.eventStore.last(streamOf.localities(country));
  const event = last && decodeOn("localities", last);
  if (event) await writeLocalities(stores.database, event);
}

export async function applyLocalityEvents(client: Database, batch: readonly StoredEvent[], skip: SkipEvent): Promise<void> {
  for (const stored of batch) {
    const event = stored.stream.startsWith(streamPrefix.localities) ? decodeOrSkip("localities", stored, skip) : undefined;
    if (event) await writeLocalities(client, event);
  }
}

async function writeLocalities(client: Database, event: RecordedEventOn<"localities">): Promise<void> {
  const { country, key, sha256, localities } = event.data;
  await client.query(
    `with loaded as (
       insert into locality_files (country, key, sha256, localities, revision) values ($1, $2, $3, $4, $5)
       on conflict (country) do update set key = excluded.key, sha256 = excluded.sha256, localities = excluded.localities,
         revision = excluded.revision
        where locality_files.revision < excluded.revision returning 1
     ) select pg_notify('${channels.localitiesLoaded}', '') from loaded`,
    [country, key, sha256, localities, String(event.revision)],
  );
}
