// Who a principal is, in words, for pages. src/audit/names.ts says the same from the streams.
import type { Pool } from "pg";
import type { Principal } from "../domain/principal.js";

export type NameOf = (by: Principal) => string;

/** The names of those who acted in an organisation, all at once. */
export async function principalNames(database: Pick<Pool, "query">, organisationId: string): Promise<NameOf> {
  const [keys, members] = await Promise.all([
    database.query<{ keyId: string; prefix: string; name: string }>(
      `select key_id as "keyId", prefix, name from api_keys where organisation_id = $1`,
      [organisationId],
    ),
    database.query<{ memberId: string; name: string }>(
      `select member_id as "memberId", coalesce(name, email) as name from members where organisation_id = $1 and status <> 'removed'`,
      [organisationId],
    ),
  ]);
  // Requests recorded before there were principals know the prefix of their key.
  const keyNames = new Map(keys.rows.flatMap(({ keyId, prefix, name }) => [keyId, prefix].map((id) => [id, `key ${name} (${prefix}...)`])));
  const memberNames = new Map(members.rows.map(({ memberId, name }) => [memberId, name]));
  return ({ kind, id }) => {
    switch (kind) {
      case "key":
        return keyNames.get(id) ?? `key ${id}`;
      case "member":
        return memberNames.get(id) ?? "a removed member";
      case "cli":
        return "the command line";
      case "worker":
        return "the import worker";
    }
  };
}
