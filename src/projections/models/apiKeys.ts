// The API keys of an organisation: a part of the projection `organisations`.
import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import type { RecordedEventOn } from "../../events/codec.js";
import { bindNames } from "../../namedSql.js";

type KeyEvent = Extract<RecordedEventOn<"organisation">, { readonly type: `ApiKey${string}` }>;

/** The caller passes each event only once and in order, for which it compares the event's revision with the organisation's row. */
export async function applyKeyEvent(client: PoolClient, organisationId: string, event: KeyEvent): Promise<void> {
  const { keyId, at } = event.data;
  switch (event.type) {
    case "ApiKeyCreated": {
      const { sha256, name, prefix, by, scopes = null, expiresAt = null } = event.data;
      await client.query(
        bindNames(
          `insert into api_keys (sha256, key_id, organisation_id, name, prefix, created_at, created_by, scopes, expires_at)
           values (:sha256, :keyId, :organisationId, :name, :prefix, :at, :by, :scopes, :expiresAt) on conflict (sha256) do nothing`,
          { sha256, keyId, organisationId, name, prefix, at, by: actorOf(by), scopes, expiresAt },
        ),
      );
      return;
    }
    case "ApiKeyRotated": {
      const { sha256, prefix, keepUntil } = event.data;
      await client.query(
        `with newest as (select * from api_keys where organisation_id = $1 and key_id = $2 and valid_until is null and sha256 <> $3),
         replaced as (
           update api_keys set valid_until = case when valid_until is null then $5::timestamptz else least(valid_until, $6::timestamptz) end
           where organisation_id = $1 and key_id = $2 and sha256 <> $3)
         insert into api_keys (sha256, key_id, organisation_id, name, prefix, created_at, created_by, scopes, expires_at, revoked_at, rotated_at)
         select $3, key_id, organisation_id, name, $4, created_at, created_by, scopes, expires_at, revoked_at, $6 from newest
         on conflict (sha256) do nothing`,
        [organisationId, keyId, sha256, prefix, keepUntil, at],
      );
      return;
    }
    case "ApiKeyRevoked":
      await client.query("update api_keys set revoked_at = coalesce(revoked_at, $3) where organisation_id = $1 and key_id = $2", [
        organisationId,
        keyId,
        at,
      ]);
      return;
  }
  event satisfies never;
}
