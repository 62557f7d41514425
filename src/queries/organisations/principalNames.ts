// Who a principal is, in words, for pages. src/audit/history/names.ts says the same from the streams.
import type { Pool } from "pg";
import type { Principal } from "../../domain/principal.js";

export type NameOf = (by: Principal) => string;

/** The names of all keys and members of an organisation, from one query. */
export async function principalNames(database: Pick<Pool, "query">, organisationId: string): Promise<NameOf> {
  const { rows } = await database.query<{ id: string; prefix: string | null; name: string }>(
    `select key_id::text as id, prefix, name from api_keys where organisation_id = $1
      union all
     select member_id::text, null, coalesce(name, email) from members where organisation_id = $1 and status <> 'removed'`,
    [organisationId],
  );
  const keyNames = new Map<string, string>();
  const memberNames = new Map<string, string>();
  for (const { id, prefix, name } of rows) {
    if (prefix === null) memberNames.set(id, name);
    // Requests recorded before there were principals know the prefix of their key.
    else for (const known of [id, prefix]) keyNames.set(known, `key ${name} (${prefix}...)`);
  }
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
