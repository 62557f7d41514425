// Organisations, catalogue versions, API keys and webhook endpoints. The command that changes an organisation writes these rows itself,
// so that they are there when it returns. The projector applies the same events later, which changes something only if the command was killed.
import type { PoolClient } from "pg";
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import type { EventDataOf } from "../../events/registry.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { type EventStore, noStream, type Revision, type StoredEvent } from "../../ports/eventStore.js";
import { readable, type SkipEvent } from "../sortedBatch.js";
import { applyCatalogue, stageChanges } from "./catalogues.js";
import { applyWebhookEvent } from "./webhookEndpoints.js";

export interface OrganisationProjection {
  readonly events: EventStore;
  readonly inTransaction: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;
}

/** Applies the events of the organisation's stream that its rows do not include yet. */
export async function catchUpOrganisation({ events, inTransaction }: OrganisationProjection, organisationId: string): Promise<void> {
  await inTransaction(async (client) => {
    const included = await lockOrganisation(client, organisationId);
    const fresh: StoredEvent[] = [];
    for await (const event of events.read(streamOf.organisation(organisationId), { from: included + 1n })) fresh.push(event);
    await applyEvents(client, organisationId, fresh, (event) => decodeOn("organisation", event));
  });
}

/** Applies the organisation events of a batch of the log. Events that the rows include are left out. */
export async function applyOrganisationEvents(client: PoolClient, batch: readonly StoredEvent[], skip: SkipEvent): Promise<void> {
  const byOrganisation = new Map<string, StoredEvent[]>();
  for (const event of batch) {
    if (!event.stream.startsWith(streamPrefix.organisation)) continue;
    const organisationId = event.stream.slice(streamPrefix.organisation.length);
    byOrganisation.set(organisationId, [...(byOrganisation.get(organisationId) ?? []), event]);
  }
  for (const [organisationId, events] of byOrganisation) {
    const included = await lockOrganisation(client, organisationId);
    const fresh = events.filter(({ revision }) => revision > included);
    await applyEvents(client, organisationId, fresh, (event) => readable("organisation", event, skip));
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
        await addKey(client, organisationId, event.data);
        continue;
      case "ApiKeyRevoked":
        await revokeKey(client, organisationId, event.data);
        continue;
      case "WebhookAdded":
      case "WebhookChanged":
      case "WebhookRemoved":
      case "WebhookPaused":
      case "WebhookResumed":
        await applyWebhookEvent(client, organisationId, event);
        continue;
    }
    event satisfies never;
  }
  const last = events.at(-1);
  if (!last) return;
  await client.query("update organisations set revision = $2 where id = $1 and revision < $2", [organisationId, String(last.revision)]);
}

async function addKey(client: PoolClient, organisationId: string, key: EventDataOf<"ApiKeyCreated">): Promise<void> {
  await client.query(
    `insert into api_keys (sha256, key_id, organisation_id, name, prefix, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (sha256) do nothing`,
    [key.sha256, key.keyId, organisationId, key.name, key.prefix, key.at],
  );
}

async function revokeKey(client: PoolClient, organisationId: string, { keyId, at }: EventDataOf<"ApiKeyRevoked">): Promise<void> {
  await client.query("update api_keys set revoked_at = coalesce(revoked_at, $3) where organisation_id = $1 and key_id = $2", [
    organisationId,
    keyId,
    at,
  ]);
}
