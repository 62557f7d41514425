// Organisations, catalogue versions, API keys, webhook endpoints, choices of columns and the files of localities. The command that changes an organisation writes these rows itself,
// so that they are there when it returns. The projector applies the same events later, which changes something only if the command was killed.
import type { PoolClient } from "pg";
import { groupedBy } from "../../domain/groupedBy.js";
import { headingsKey } from "../../domain/imports/columns/headings.js";
import { actorOf } from "../../domain/principal.js";
import { mostSecrets, overlapHours } from "../../domain/webhooks/endpoint.js";
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type EventStore, eventsOf, noStream, type Revision, type StoredEvent } from "../../ports/eventStore.js";
import { channels } from "../../ports/notices.js";
import type { Projection } from "../projection.js";
import { decodeOrSkip, type SkipEvent } from "../sortedBatch.js";
import { applyKeyEvent } from "./apiKeys.js";
import { applyCatalogue, stageChanges } from "./catalogues.js";

export const organisations: Projection = {
  name: "organisations",
  shape: 3, // who applied a catalogue, when, and what changed; who created a key
  tables: ["organisations", "catalogues", "catalogue_changes", "api_keys", "webhook_endpoints", "column_choices", "locality_files"],
  async apply(client, { events }, { skip }) {
    await applyOrganisationEvents(client, events, skip);
    await applyLocalityEvents(client, events, skip);
  },
};

interface OrganisationSources {
  readonly events: EventStore;
  readonly inTransaction: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;
}

/** Applies the events of the organisation's stream that its rows do not include yet. */
export async function catchUpOrganisation({ events, inTransaction }: OrganisationSources, organisationId: string): Promise<void> {
  await inTransaction(async (client) => {
    const included = await lockOrganisation(client, organisationId);
    const fresh = await eventsOf(events, streamOf.organisation(organisationId), { from: included + 1n });
    await applyEvents(client, organisationId, fresh, (event) => decodeOn("organisation", event));
  });
}

/** Applies the organisation events of a batch of the event log. Events that the rows include are left out. */
export async function applyOrganisationEvents(client: PoolClient, batch: readonly StoredEvent[], skip: SkipEvent): Promise<void> {
  const own = batch.filter(({ stream }) => stream.startsWith(streamPrefix.organisation));
  for (const [stream, events] of groupedBy(own, (event) => event.stream)) {
    const organisationId = stream.slice(streamPrefix.organisation.length);
    const included = await lockOrganisation(client, organisationId);
    const fresh = events.filter(({ revision }) => revision > included);
    await applyEvents(client, organisationId, fresh, (event) => decodeOrSkip("organisation", event, skip));
  }
}

/** A command and the projector may write at the same time. An advisory lock, because before the first event there is no row to lock. */
async function lockOrganisation(client: PoolClient, organisationId: string): Promise<Revision> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('organisation ' || current_schema() || ' ' || $1, 0))", [
    organisationId,
  ]);
  const { rows } = await client.query<{ revision: string }>("select revision from organisations where id = $1", [organisationId]);
  return rows[0] ? BigInt(rows[0].revision) : noStream;
}

async function applyEvents(
  client: PoolClient,
  organisationId: string,
  events: readonly StoredEvent[],
  read: (event: StoredEvent) => RecordedOn<"organisation"> | undefined,
): Promise<void> {
  const recorded = events.flatMap((event) => read(event) ?? []);
  await stageChanges(client, organisationId, recorded);
  for (const event of recorded) {
    switch (event.type) {
      case "CatalogueEntryPut":
      case "CatalogueEntryRemoved":
        continue; // staged above, all at once
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
          named(
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

type WebhookEvent = Extract<RecordedOn<"organisation">, { readonly type: `Webhook${string}` }>;

/** After a rotation the earlier secret signs for a day more. That also holds if the next rotation follows within that day. */
const signsFrom = `case when rotated_at > $6::timestamptz - interval '${overlapHours} hours'
  then greatest(coalesce(signs_from, generation - 1), $5 - ${mostSecrets - 1}) else generation end`;

/** Each event comes once and in order: the caller compares its revision with the organisation's. */
async function applyWebhookEvent(client: PoolClient, organisationId: string, event: WebhookEvent): Promise<void> {
  const { endpointId, at } = event.data;
  const change = (assignments: string, values: readonly unknown[] = []) =>
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
      await change(
        `url = $3, events = $4, signs_from = case when generation >= $5 then signs_from else ${signsFrom} end,
         rotated_at = case when generation < $5 then $6::timestamptz else rotated_at end, generation = $5`,
        [event.data.url, event.data.events, event.data.generation, at],
      );
      return;
    case "WebhookRemoved":
      await change("removed_at = $3, removed_because = $4", [at, event.data.reason ?? null]);
      return;
    case "WebhookPaused":
      await change("paused_at = $3, paused_because = $4", [at, event.data.reason ?? null]);
      return;
    case "WebhookResumed":
      await change("paused_at = null, paused_because = null");
      return;
  }
  event satisfies never;
}

/** The newest event of a country's stream is its whole state. */
export async function catchUpLocalities({ events, database }: { events: EventStore; database: Database }, country: string): Promise<void> {
  const last = await events.last(streamOf.localities(country));
  const event = last && decodeOn("localities", last);
  if (event) await writeLocalities(database, event);
}

export async function applyLocalityEvents(client: Database, batch: readonly StoredEvent[], skip: SkipEvent): Promise<void> {
  for (const stored of batch) {
    const event = stored.stream.startsWith(streamPrefix.localities) ? decodeOrSkip("localities", stored, skip) : undefined;
    if (event) await writeLocalities(client, event);
  }
}

async function writeLocalities(client: Database, event: RecordedOn<"localities">): Promise<void> {
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
