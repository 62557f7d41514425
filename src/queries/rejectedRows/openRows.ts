// How many rejected rows wait for a correction: those whose state is `open` (rowStates.ts). For activities the projection has the counts.
// Rows of shipments are looked up, those of the newest imports first, since a later import may have written the shipment.
import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { reasonSql } from "../../projections/tables/rejectionGroups.js";
import { stateSqlOf } from "./rowStates.js";

export interface OpenRowCount {
  readonly rows: number;
  /** True if there may be more, since only `maxLookedUp` rows are looked up. */
  readonly atLeast: boolean;
}

/** How many rejected rows of shipments are looked up in the ledger for one page, whatever their states. */
const maxLookedUp = 5_000;

/**
 * SQL for a table `looked` that counts rejected rows of shipments of organisation $1, or of its import $2 if not null: position,
 * reason_key, open, rows. `looked_above` has the position of the import at which the look-up ended: only imports above it are counted in
 * full.
 */
export const lookedUpRowsSql = `
  looked as materialized (
    select position, reason_key, count(*) filter (where state = 'open')::integer as open, count(*)::integer as rows
      from (select r.import_position as position, md5(${reasonSql("r")}) as reason_key, ${stateSqlOf("shipments", { importId: "i.import_id", organisationId: "$1" })} as state
              from (select distinct import_id, import_position from rejection_groups
                     where organisation_id = $1 and kind = 'shipments' and open > 0
                       and ($2::uuid is null or import_id = $2)
                     order by import_position desc) as i
             cross join lateral (select * from rejections where import_position = i.import_position limit ${maxLookedUp + 1}) as r
             limit ${maxLookedUp + 1}) as each
     group by 1, 2),
  looked_above as (select case when sum(rows) > ${maxLookedUp} then min(position) else -1 end as position from looked)`;

/** Counts the open rows of all the organisation's imports, or of one, by kind. */
export async function countOpenRows(
  organisationId: string,
  importId: string | undefined,
  database: Database,
): Promise<Record<ImportKind, OpenRowCount>> {
  const { rows } = await database.query<{ activities: number; shipments: number; atLeast: boolean }>(
    `with ${lookedUpRowsSql}
     select (select coalesce(sum(open), 0)::float8 from rejection_groups
              where organisation_id = $1 and kind = 'activities' and open > 0 and ($2::uuid is null or import_id = $2)) as activities,
            least(coalesce(sum(open), 0), ${maxLookedUp})::integer as shipments, coalesce(sum(rows) > ${maxLookedUp}, false) as "atLeast"
       from looked`,
    [organisationId, importId ?? null],
  );
  const { activities = 0, shipments = 0, atLeast = false } = rows[0] ?? {};
  return { activities: { rows: activities, atLeast: false }, shipments: { rows: shipments, atLeast } };
}

/** How many rejection groups are read: an import has one for each reason. */
const maxGroupsRead = 100;

/** The newest imports that may have open rows. For shipments, all of the open rows may in fact be superseded. */
export async function newestWithOpenRows(organisationId: string, count: number, database: Database) {
  const importsOfKindSql = (kind: ImportKind) => `
    (select import_id from rejection_groups where organisation_id = $1 and kind = '${kind}' and open > 0
      order by import_position desc limit ${maxGroupsRead})`;
  const { rows } = await database.query<{ importId: string; reference: string }>(
    `select import_id as "importId", source_details as reference from imports
      where import_id in (${importsOfKindSql("activities")} union ${importsOfKindSql("shipments")}) order by position desc limit $2`,
    [organisationId, count],
  );
  return rows;
}
