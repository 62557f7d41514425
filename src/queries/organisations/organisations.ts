import type { Pool } from "pg";
import { type Catalogue, compileCatalogue } from "../../domain/catalogue/catalogue.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import { createNameOf, type NameOf } from "../../domain/principal.js";
import type { Database } from "../../ports/database.js";
import type { localityFiles, members, organisations } from "../../projections/tables/organisations.js";
import { recentLoads } from "../../recentValues.js";

export type OrganisationSummary = Omit<typeof organisations.$inferSelect, "revision" | "firstStepsPutAway">;

export async function listOrganisations(database: Database): Promise<OrganisationSummary[]> {
  const { rows } = await database.query<OrganisationSummary>(
    `select id, name, timezone, catalogue_version as "catalogueVersion" from organisations order by id`,
  );
  return rows;
}

/** One version of the organisation's file, as it was applied. */
export async function catalogueAt(organisationId: string, version: number, database: Database): Promise<OrganisationFile | undefined> {
  const { rows } = await database.query<{ file: OrganisationFile }>(
    "select file from catalogues where organisation_id = $1 and version = $2",
    [organisationId, version],
  );
  return rows[0]?.file;
}

/** The time zone in which the organisation's days begin. */
export async function timezoneOf(organisationId: string, database: Database): Promise<string> {
  const { rows } = await database.query<{ timezone: string }>("select timezone from organisations where id = $1", [organisationId]);
  const found = rows[0];
  if (!found) throw new Error(`there is no organisation ${organisationId}`);
  return found.timezone;
}

export type LocalityFile = Omit<typeof localityFiles.$inferSelect, "revision">;

/** The countries that were loaded with `localities import`. */
export async function listLocalityFiles(database: Database): Promise<LocalityFile[]> {
  const { rows } = await database.query<LocalityFile>(
    "/* prepared */ select country, key, sha256, localities from locality_files order by country",
  );
  return rows;
}

/** What a request is judged by: the version of the organisation's newest catalogue, and the time by the database's clock. */
export async function versionAndClockOf(organisationId: string, database: Database) {
  const { rows } = await database.query<{ readonly catalogueVersion: number; readonly now: Date }>(
    `/* prepared */ select catalogue_version as "catalogueVersion", now() as now from organisations where id = $1`,
    [organisationId],
  );
  const row = rows[0];
  if (!row) throw new Error(`there is no organisation ${organisationId}`);
  return row;
}

type MemberFields = "memberId" | "email" | "name" | "role" | "status" | "invitedAt" | "joinedAt" | "removedAt" | "linkExpiresAt";
/** `linkExpiresAt` is null if the member has no open link. */
export type MemberSummary = Pick<typeof members.$inferSelect, MemberFields>;

/** The members, sorted by e-mail, with removed ones last. */
export async function listMembers(organisationId: string, database: Database): Promise<MemberSummary[]> {
  const { rows } = await database.query<MemberSummary>(
    `select member_id as "memberId", email, name, role, status, invited_at as "invitedAt", joined_at as "joinedAt", removed_at as "removedAt",
            case when link_expires_at > now() then link_expires_at end as "linkExpiresAt"
       from members where organisation_id = $1 order by status = 'removed', email_key`,
    [organisationId],
  );
  return rows;
}

/** Reads the names of the organisation's keys and of its members that are not removed. Returns a function that finds a principal's name. */
export async function principalNames(organisationId: string, database: Database): Promise<NameOf> {
  const { rows } = await database.query<{ id: string; prefix: string | null; name: string }>(
    `select id, prefix, name from (
       select key_id as id, prefix, name, rotated_at from api_keys where organisation_id = $1
        union all
       select member_id::text, null, coalesce(name, email), null from members where organisation_id = $1 and status <> 'removed') as known
     order by rotated_at nulls first`, // the newest prefix of a rotated key comes last, so it is shown
    [organisationId],
  );
  const keyNames = new Map<string, string>();
  const memberNames = new Map<string, string>();
  for (const { id, prefix, name } of rows) {
    if (prefix === null) memberNames.set(id, name);
    // Old events name a key by its prefix, newer ones by its id.
    else for (const known of [id, prefix]) keyNames.set(known, `key ${name} (${prefix}...)`);
  }
  const nameOf = createNameOf(keyNames, memberNames);
  return (by) => (by.kind === "worker" ? "the import worker" : nameOf(by));
}

const maxCatalogues = 200;

/** A cache of compiled catalogues. A catalogue version never changes, so no entry becomes stale. */
export function cacheCatalogues(pool: Pool): (organisationId: string, version: number) => Promise<Catalogue> {
  const loadOnce = recentLoads<Catalogue>(maxCatalogues);
  return (organisationId, version) =>
    loadOnce(JSON.stringify([organisationId, version]), async () => {
      const file = await catalogueAt(organisationId, version, pool);
      if (!file) throw new Error(`organisation ${organisationId} has no catalogue version ${version}`);
      return compileCatalogue(file);
    });
}
