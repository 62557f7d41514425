// Catalogue versions. The entries of a change are staged in catalogue_changes until CatalogueApplied completes the change: a large one
// reaches the projector in several batches.
import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import { applyCatalogueChanges, type CatalogueChange, type CatalogueFile } from "../../events/catalogue.js";
import type { RecordedEventOn } from "../../events/codec.js";

export async function stageCatalogueChanges(
  client: PoolClient,
  organisationId: string,
  events: readonly RecordedEventOn<"organisation">[],
): Promise<void> {
  const changes = events.filter(({ type }) => type === "CatalogueEntryPut" || type === "CatalogueEntryRemoved");
  if (changes.length === 0) return;
  await client.query(
    `insert into catalogue_changes (organisation_id, revision, type, data)
     select $1, * from unnest($2::bigint[], $3::text[], $4::jsonb[]) on conflict do nothing`,
    [
      organisationId,
      changes.map(({ revision }) => String(revision)),
      changes.map(({ type }) => type),
      changes.map(({ data }) => JSON.stringify(data)),
    ],
  );
}

export async function applyCatalogue(
  client: PoolClient,
  organisationId: string,
  {
    revision,
    data: { version, sinceRevision, changes: sentences, by, at },
  }: Extract<RecordedEventOn<"organisation">, { type: "CatalogueApplied" }>,
): Promise<void> {
  const staged = await client.query<CatalogueChange & { revision: string }>(
    "delete from catalogue_changes where organisation_id = $1 and revision < $2 returning revision, type, data",
    [organisationId, String(revision)],
  );
  // Entries of a change that was interrupted before its CatalogueApplied do not count.
  const changes = staged.rows
    .filter((row) => Number(row.revision) >= sinceRevision)
    .sort((a, b) => Number(a.revision) - Number(b.revision));
  const file = applyCatalogueChanges(await fileBefore(client, organisationId, version), changes);
  await client.query(
    `insert into catalogues (organisation_id, version, file, applied_at, applied_by, changes)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [organisationId, version, JSON.stringify(file), at, actorOf(by), sentences],
  );
  await client.query(
    `insert into organisations (id, name, timezone, catalogue_version, revision) values ($1, $2, $3, $4, $5)
     on conflict (id) do update set name = excluded.name, timezone = excluded.timezone,
       catalogue_version = excluded.catalogue_version, revision = excluded.revision
     where organisations.revision < excluded.revision`,
    [organisationId, file.organisation["name"], file.organisation["timezone"], version, String(revision)],
  );
}

async function fileBefore(client: PoolClient, organisationId: string, version: number): Promise<CatalogueFile | undefined> {
  if (version === 1) return undefined;
  const { rows } = await client.query<{ file: CatalogueFile }>("select file from catalogues where organisation_id = $1 and version = $2", [
    organisationId,
    version - 1,
  ]);
  if (!rows[0]) throw new Error(`catalogue ${version - 1} of ${organisationId} is missing: run projections rebuild`);
  return rows[0].file;
}
