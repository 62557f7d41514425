import type { Pool } from "pg";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";

type Database = Pick<Pool, "query">;

export interface OrganisationSummary {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly catalogueVersion: number;
}

export interface KeySummary {
  readonly keyId: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

export async function listOrganisations(database: Database): Promise<OrganisationSummary[]> {
  const { rows } = await database.query<OrganisationSummary>(
    `select id, name, timezone, catalogue_version as "catalogueVersion" from organisations order by id`,
  );
  return rows;
}

/** Oldest first, revoked keys included. */
export async function listKeys(database: Database, organisationId: string): Promise<KeySummary[]> {
  const { rows } = await database.query<KeySummary>(
    `select key_id as "keyId", name, prefix, created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"
     from api_keys left join key_uses using (key_id) where organisation_id = $1 order by created_at, key_id`,
    [organisationId],
  );
  return rows;
}

/** One version of the organisation's file, as it was applied. */
export async function catalogueAt(database: Database, organisationId: string, version: number): Promise<OrganisationFile | undefined> {
  const { rows } = await database.query<{ file: OrganisationFile }>(
    "select file from catalogues where organisation_id = $1 and version = $2",
    [organisationId, version],
  );
  return rows[0]?.file;
}

/** The time zone in which the organisation's days begin. */
export async function timezoneOf(pool: Pick<Pool, "query">, organisationId: string): Promise<string> {
  const { rows } = await pool.query<{ timezone: string }>("select timezone from organisations where id = $1", [organisationId]);
  const found = rows[0];
  if (!found) throw new Error(`there is no organisation ${organisationId}`);
  return found.timezone;
}

export interface LocalityFile {
  readonly country: string;
  readonly key: string;
  readonly sha256: string;
  readonly localities: number;
}

/** The countries that were loaded with `localities import`. */
export async function localityFiles(database: Pick<Pool, "query">): Promise<LocalityFile[]> {
  const { rows } = await database.query<LocalityFile>("select country, key, sha256, localities from locality_files order by country");
  return rows;
}

/** What a request is judged by now: the organisation's newest catalogue, and the database's clock. */
export interface Present {
  readonly catalogueVersion: number;
  readonly now: Date;
}

export async function presentOf(pool: Pick<Pool, "query">, organisationId: string): Promise<Present> {
  const { rows } = await pool.query<Present>(
    `select catalogue_version as "catalogueVersion", now() as now from organisations where id = $1`,
    [organisationId],
  );
  const present = rows[0];
  if (!present) throw new Error(`there is no organisation ${organisationId}`);
  return present;
}
