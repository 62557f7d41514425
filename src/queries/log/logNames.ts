import type { LogEntry } from "../../domain/log/entry.js";
import type { LogNames } from "../../domain/log/sentences.js";
import { isUuid } from "../../domain/uuid.js";
import type { Database } from "../../ports/database.js";

/** The current names of what the entries refer to. An erased member has none. */
export async function logNames(organisationId: string, entries: readonly LogEntry[], pool: Database): Promise<LogNames> {
  const idsOf = (kind: string) => [
    ...new Set(entries.flatMap(({ by, about }) => [by, about].flatMap((each) => (each.kind === kind ? [each.id] : [])))),
  ];
  const [keys, members, webhooks, imports] = ["key", "member", "webhook", "import"].map(idsOf);
  const { rows } = await pool.query<{ kind: keyof LogNames; id: string; name: string }>(
    `select 'key' as kind, wanted as id, (select name || ' (' || prefix || ')' from api_keys
        where organisation_id = $1 and (key_id = wanted or prefix = wanted) order by created_at, valid_until is not null limit 1) as name from unnest($2::text[]) as wanted
      union all
     select 'member', member_id::text, coalesce(name, email) from members where organisation_id = $1 and member_id::text = any($3)
      union all
     select 'webhook', endpoint_id::text, url from webhook_endpoints where organisation_id = $1 and endpoint_id::text = any($4)
      union all
     select 'import', import_id::text, source_details from imports where organisation_id = $1 and import_id = any($5::text[]::uuid[])`,
    [organisationId, keys, members, webhooks, imports?.filter(isUuid)],
  );
  const names = { key: new Map(), member: new Map(), webhook: new Map(), import: new Map() } satisfies LogNames;
  for (const { kind, id, name } of rows) if (name !== null && name !== "") names[kind].set(id, name);
  return names;
}
