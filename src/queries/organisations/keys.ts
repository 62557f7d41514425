import { type Principal, principalOf } from "../../domain/principal.js";
import type { Database } from "../../ports/database.js";
import type { apiKeys } from "../../projections/tables/organisations.js";

type KeyFields = "keyId" | "name" | "prefix" | "createdAt" | "scopes" | "expiresAt" | "revokedAt" | "rotatedAt";

/** An API key. `prefix` is that of its newest secret. */
export interface KeySummary extends Readonly<Pick<typeof apiKeys.$inferSelect, KeyFields>> {
  /** Undefined for a key that an earlier version stored, until the tables are rebuilt. */
  readonly createdBy: Principal | undefined;
  /** Whether `expiresAt` has passed. */
  readonly ended: boolean;
  /** When the newest secret was last used, to the minute. */
  readonly lastUsedAt: Date | null;
  /** A secret that a rotation has replaced and that is still valid. */
  readonly replaced: { readonly prefix: string; readonly validUntil: Date; readonly lastUsedAt: Date | null } | undefined;
}

interface KeyRow extends Omit<KeySummary, "createdBy" | "replaced"> {
  readonly createdBy: string | null;
  readonly oldPrefix: string | null;
  readonly validUntil: Date | null;
  readonly oldLastUsedAt: Date | null;
}

/** SQL for when a secret was last used. An earlier version recorded the use of a key's first secret without its hash. */
const lastUseSql = (secret: string) =>
  `(select max(u.last_used_at) from key_uses u
     where u.key_id = ${secret}.key_id and (u.sha256 = ${secret}.sha256 or u.sha256 = '' and ${secret}.rotated_at is null))`;

/** All keys, oldest first, including revoked and ended ones. */
export async function listKeys(organisationId: string, database: Database): Promise<KeySummary[]> {
  const { rows } = await database.query<KeyRow>(
    `select k.key_id as "keyId", k.name, k.prefix, k.created_at as "createdAt", k.created_by as "createdBy", k.scopes,
            k.expires_at as "expiresAt", coalesce(k.expires_at <= now(), false) as ended, k.revoked_at as "revokedAt",
            k.rotated_at as "rotatedAt", ${lastUseSql("k")} as "lastUsedAt",
            old.prefix as "oldPrefix", old.valid_until as "validUntil", ${lastUseSql("old")} as "oldLastUsedAt"
       from api_keys k
       left join api_keys old on old.organisation_id = k.organisation_id and old.key_id = k.key_id and old.valid_until > now()
      where k.organisation_id = $1 and k.valid_until is null order by k.created_at, k.key_id`,
    [organisationId],
  );
  return rows.map(({ createdBy, oldPrefix: prefix, validUntil, oldLastUsedAt: lastUsedAt, ...key }) => ({
    ...key,
    createdBy: createdBy === null ? undefined : principalOf(createdBy),
    replaced: prefix === null || validUntil === null ? undefined : { prefix, validUntil, lastUsedAt },
  }));
}

const soonDays = 14;

/** The number of valid keys that expire soon. */
export async function keysEndingSoon(organisationId: string, database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from api_keys
      where organisation_id = $1 and valid_until is null and revoked_at is null
        and expires_at > now() and expires_at <= now() + interval '${soonDays} days'`,
    [organisationId],
  );
  return rows[0]?.count ?? 0;
}
