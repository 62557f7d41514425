import type { Pool } from "pg";
import { hasRow } from "../../ports/database.js";
import { supersedingAmongSql } from "../../projections/tables/supersedingImport.js";

/** How many activities or shipments the import wrote. Undefined until the tables have the whole import. */
export async function countWritten(importId: string, pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ written: number }>(
    "select processed as written from imports where import_id = $1 and status = 'completed'",
    [importId],
  );
  return rows[0]?.written;
}

/** Whether the tables that a reversal changes have at least these shapes and every import. After an upgrade they may be rebuilding. */
export async function areLedgersReady(shapes: Readonly<Record<string, number>>, pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ projection: string; shape: number }>(
    "select projection, shape from checkpoints where projection = any($1::text[]) and commit >= (select commit from checkpoints where projection = 'imports')",
    [Object.keys(shapes)],
  );
  return Object.entries(shapes).every(([name, shape]) => rows.some((row) => row.projection === name && row.shape >= shape));
}

/** The accepted activities of the import among these row numbers. */
export async function acceptedActivities(position: bigint, numbers: readonly number[], pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ row: number }>(
    `select "row" from activities where import_position = $1 and "row" = any($2::integer[]) order by "row"`,
    [position, numbers],
  );
  return rows.map(({ row }) => row);
}

export interface WrittenShipment {
  readonly shipmentId: string;
  /** Its number in the import. */
  readonly shipment: number;
  /** The revisions of its lines in the import's stream. */
  readonly revisions: readonly number[];
}

/** The versions of these shipments that the import wrote. */
export async function writtenShipments(
  organisationId: string,
  position: bigint,
  shipmentIds: readonly string[],
  pool: Pool,
): Promise<WrittenShipment[]> {
  const { rows } = await pool.query<WrittenShipment>(
    `select shipment_id as "shipmentId", shipment, revisions from unnest($3::text[]) as wanted (shipment_id)
       join shipment_versions using (shipment_id) where organisation_id = $1 and import_position = $2 order by shipment`,
    [organisationId, position, shipmentIds],
  );
  return rows;
}

/** The shipments with a line that has one of these revisions. */
export async function shipmentsWithLines(position: bigint, revisions: readonly number[], pool: Pool): Promise<WrittenShipment[]> {
  const { rows } = await pool.query<WrittenShipment>(
    `select shipment_id as "shipmentId", shipment, revisions from shipment_versions
      where import_position = $1 and revisions && $2::integer[] order by shipment`,
    [position, revisions],
  );
  return rows;
}

export interface ReversalTarget {
  readonly organisationId: string;
  readonly importId: string;
  /** Commit position of ImportRequested. */
  readonly position: bigint;
  /** Limits the reversal to these rows: activities, or the lines of shipments. Undefined for the whole import. */
  readonly rows?: readonly number[] | undefined;
  /** Limits the reversal to these shipments. */
  readonly shipmentIds?: readonly string[] | undefined;
}

export interface Consequences {
  /** Versions of shipments that a later push had replaced. */
  readonly superseded: number;
  /** Earlier versions of shipments that show again, and replaced activities that count again. */
  readonly restored: number;
  /** Rejected rows of other imports that these rows had corrected and that become open again. */
  readonly reopened: number;
  /** Open rejected rows that are withdrawn because the import is reversed as a whole. */
  readonly open: number;
}

/** What reversing the target would change. The same call has reversed `earlierTargets`; the tables may not show that yet. */
export async function consequencesOf(target: ReversalTarget, earlierTargets: readonly ReversalTarget[], pool: Pool): Promise<Consequences> {
  const { organisationId, importId, position, rows, shipmentIds } = target;
  const reversedTargets = JSON.stringify([target, ...earlierTargets].map((each) => ({ ...each, position: String(each.position) })));
  const found = await pool.query<Consequences>(consequencesSql, [
    organisationId,
    importId,
    position,
    rows ?? null,
    shipmentIds ?? null,
    reversedTargets,
  ]);
  return found.rows[0] ?? { superseded: 0, restored: 0, reopened: 0, open: 0 };
}

/** SQL for whether a row is closed, by a correction or otherwise. It does not see superseded rows, which `isSupersededSql` finds. */
const isClosedSql = (importId: string, row: string) => `
  (exists (select from row_corrections held where held.import_id = ${importId} and held."row" = ${row})
   or exists (select from finished_rows done where done.import_id = ${importId} and done."row" = ${row}))`;

/** SQL for whether another version of the rejected row's shipment, which this call does not reverse, has superseded it. */
const isSupersededSql = `(i.kind = 'shipments' and ${supersedingAmongSql(
  "$1",
  `not exists (select from targets where targets.position = s.import_position and (targets."shipmentIds" is null or s.shipment_id = any(targets."shipmentIds")))`,
)} is not null)`;

const consequencesSql = `
  with recursive targets as (
    select * from jsonb_to_recordset($6) as targets ("importId" uuid, position bigint, rows integer[], "shipmentIds" text[])),
  freed as (
    select c.import_id, c."row" from row_corrections c
     where c.correction_id = $2 and not c.reversed and ($4::integer[] is null or c.correction_row = any($4)) and not ${isClosedSql("$2", "c.correction_row")}
    union
    select c.import_id, c."row" from freed join row_corrections c on c.correction_id = freed.import_id and c.correction_row = freed."row"
     where (c.reversed or exists (select from targets where targets."importId" = c.correction_id and (targets.rows is null or c.correction_row = any(targets.rows))))
       and not exists (select from finished_rows done where done.import_id = freed.import_id and done."row" = freed."row"))
  select (select count(*)::int from hidden_shipments h
           where h.import_position = $3 and h.organisation_id = $1 and ($5::text[] is null or h.shipment_id = any($5))) as superseded,
         (select count(*)::int from shipments s
           where s.import_position = $3 and s.organisation_id = $1 and ($5::text[] is null or s.shipment_id = any($5))
             and exists (select from hidden_shipments h where h.organisation_id = $1 and h.shipment_id = s.shipment_id))
         + (select count(*)::int from uncounted_activities u
             where u.replaced_by_position = $3 and ($4::integer[] is null or u.replaced_by_row = any($4)) and u.reversed_position is null
               and not exists (select from uncounted_imports whole where whole.import_position = u.import_position)) as restored,
         (select count(*)::int from freed join imports i on i.import_id = freed.import_id
            join rejections r on r.import_position = i.position and r."row" = freed."row"
           where not exists (select from withdrawn_imports w where w.import_id = freed.import_id)
             and not exists (select from targets where targets."importId" = freed.import_id and targets.rows is null)
             and not ${isSupersededSql}) as reopened,
         case when $4::integer[] is not null or exists (select from withdrawn_imports w where w.import_id = $2) then 0
              else (select count(*)::int from rejections r join imports i on i.position = r.import_position
                     where r.import_position = $3 and not ${isClosedSql("$2", 'r."row"')} and not ${isSupersededSql}) end as open`;

interface CorrectingRows {
  readonly importId: string;
  /** The correcting import's accepted rows. */
  readonly ownRows: readonly number[];
  /** The rows of the original import that they correct. */
  readonly rows: readonly number[];
}

/** The imports whose accepted rows correct rows of this one, directly or through a chain of corrections. Reversed rows are left out. */
export async function correctingRows(importId: string, rows: readonly number[] | undefined, pool: Pool): Promise<CorrectingRows[]> {
  const found = await pool.query<CorrectingRows>(
    `with recursive following as (
       select c."row" as first_row, c.correction_id, c.correction_row, c.reversed from row_corrections c
        where c.import_id = $1 and c.state = 'corrected' and ($2::integer[] is null or c."row" = any($2))
       union all
       select following.first_row, c.correction_id, c.correction_row, c.reversed from following
         join row_corrections c on c.import_id = following.correction_id and c."row" = following.correction_row and c.state = 'corrected')
     select i.import_id as "importId", array_agg(correction_row order by correction_row) as "ownRows", array_agg(first_row order by first_row) as rows
       from following join imports i on i.import_id = following.correction_id
      where not following.reversed and not exists (select from rejections r where r.import_position = i.position and r."row" = following.correction_row)
      group by i.import_id, i.position order by i.position`,
    [importId, rows ?? null],
  );
  return found.rows;
}

/** When the last of these imports ended. Undefined until the tables show the end of each. */
export async function lastEnd(importIds: readonly string[], pool: Pool): Promise<Date | undefined> {
  const { rows } = await pool.query<{ ended: number; at: Date | null }>(
    `select count(*)::int as ended, max(finished_at) as at from imports
      where import_id = any($1::uuid[]) and status in ('completed', 'failed', 'cancelled')`,
    [importIds],
  );
  return rows[0]?.ended === importIds.length ? (rows[0].at ?? undefined) : undefined;
}

/** True if the tables have this reversal; otherwise undefined, for `lookUntilFound`. */
export const isShownReversed = async (reversalId: string, pool: Pool): Promise<true | undefined> =>
  (await hasRow(pool, "select from reversals where reversal_id = $1", [reversalId])) || undefined;
