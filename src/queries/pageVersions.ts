// Open pages watch imports, lists of imports and endpoints. A version is a text that changes when a page has to show something else.
import { isUuid } from "../domain/uuid.js";
import type { Database } from "../ports/database.js";

/** The names of what a page can watch: the imports of an organisation, one import, or one endpoint. */
export const watchedName = {
  imports: (organisationId: string) => `imports ${organisationId}`,
  import: (importId: string) => `import ${importId}`,
  endpoint: (endpointId: string) => `endpoint ${endpointId}`,
};

/** The version of a list depends on the organisation's oldest unfinished imports and on its newest imports, up to these numbers. */
const maxUnfinished = 100;
const maxNewest = 25;
/** The deliveries that a page shows, and one more, which tells whether there is a next page. */
const maxDeliveries = 51;

/** The versions of the watched names, by name, from one query. An import or endpoint that does not exist has none. */
export async function pageVersions(watched: readonly string[], database: Database): Promise<ReadonlyMap<string, string>> {
  const idsOf = (kind: keyof typeof watchedName) =>
    watched.flatMap((each) => (each.startsWith(`${kind} `) ? [each.slice(kind.length + 1)] : []));
  const { rows } = await database.query<{ watched: string; version: string }>(
    `with listed as (
       select organisation.id, shown.import_id from unnest($1::text[]) as organisation (id) left join lateral (
         (select import_id from imports where organisation_id = organisation.id and status in ('queued', 'processing') order by position limit ${maxUnfinished})
         union (select import_id from imports where organisation_id = organisation.id order by position desc limit ${maxNewest})) as shown on true),
     states as (
       select imported.import_id, md5(concat_ws(' ', status, finished_at, received, processed, failed, counted, recorded_rows, imported.report_key, late.report_key,
              queue.progress, all_rows, cancel_requested, (select count(*) from reversals r where r.import_id = imported.import_id))) as version
         from imports imported left join import_queue queue on queue.import_id = imported.import_id left join late_reports late on late.import_id = imported.import_id
        where imported.import_id in (select import_id from listed union select unnest($2::uuid[])))
     select 'import ' || import_id as watched, version from states where import_id = any($2::uuid[])
     union all
     select 'imports ' || id, md5(string_agg(version, ' ' order by states.import_id)) from listed left join states on states.import_id = listed.import_id group by id
     union all
     select 'endpoint ' || endpoint.endpoint_id, md5(concat_ws(' ', paused_at, removed_at, health.failures,
            (select string_agg(concat_ws(' ', newest.id, newest.status, newest.attempts, newest.due_at), ',' order by newest.id) from (
               select id, status, attempts, case when status = 'waiting' and claim is null then due_at end as due_at from webhook_deliveries delivery
                where delivery.endpoint_id = endpoint.endpoint_id order by id desc limit ${maxDeliveries}) as newest)))
       from webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
      where endpoint.endpoint_id = any($3::uuid[])`,
    [idsOf("imports"), idsOf("import").filter(isUuid), idsOf("endpoint").filter(isUuid)],
  );
  return new Map(rows.map(({ watched: name, version }) => [name, version ?? ""]));
}
