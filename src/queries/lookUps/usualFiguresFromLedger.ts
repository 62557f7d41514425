// The figures with which rows are compared to find unusual ones (src/judging/usualFigures.ts says what each is). None is counted over the
// whole history: codes are read by code and day, repeated rows by day, and the last activities by import.
import type { Pool } from "pg";
import { bindNames } from "../../namedSql.js";
import { type Database, hasRow } from "../../ports/database.js";
import { activitiesShape, contentBlockBits, daySql, halfHourSql, instantSql, isCountedSql } from "../../projections/tables/activities.js";
import { binaryRows } from "./copyOut.js";

export interface FiguresOptions {
  /** When the rows were pushed. */
  readonly at: Date;
  /** The accepted rows that the pushed rows replace: a few hundred at most. */
  readonly replaced?: { readonly importId: string; readonly rows: readonly number[] } | undefined;
  readonly limits: { readonly [name in Limit]: number };
}

type Limit = "minActivities" | "minQuantities" | "timesLargest" | "daysBefore" | "lastActivities";

interface ReplacedRow {
  readonly position: string;
  readonly row: number;
  readonly chargeCode: string;
  readonly warehouseCode: string;
  readonly day: number;
}

interface BlockKey {
  readonly day: number;
  readonly position: string;
  readonly block: number;
}

const maxKnownCodes = 10_000;

export function usualFiguresFromLedger(organisationId: string, { at, replaced, limits }: FiguresOptions, pool: Pool) {
  const since = new Date(at.getTime() - limits.daysBefore * 86_400_000);
  const replacedRowsLoading = loadReplacedRows(replaced, pool);
  const range = (replacedRows: readonly ReplacedRow[]) => ({
    organisationId,
    since,
    at,
    days: replacedRows.map(({ day }) => day),
    timesLargest: limits.timesLargest,
  });
  return {
    async codes({ chargeCodes, warehouseCodes }: { readonly chargeCodes: readonly string[]; readonly warehouseCodes: readonly string[] }) {
      const replacedRows = await replacedRowsLoading;
      const entriesFor = (field: "chargeCode" | "warehouseCode", codes: readonly string[]) =>
        codes.map((code) => ({ field, code, without: replacedRows.filter((row) => row[field] === code).length }));
      const entries = [...entriesFor("chargeCode", chargeCodes), ...entriesFor("warehouseCode", warehouseCodes)];
      const { rows } = await pool.query<{ enough: boolean; known: boolean; usual: number | null }>(
        bindNames(codesSql, {
          ...range(replacedRows),
          codes: JSON.stringify(entries),
          enough: limits.minActivities + replacedRows.length,
        }),
      );
      return {
        enough: rows[0]?.enough ?? false,
        chargeCodes: rows.slice(0, chargeCodes.length),
        warehouseCodes: rows.slice(chargeCodes.length),
      };
    },
    async quantityLimits(codes: readonly string[]) {
      const replacedRows = await replacedRowsLoading;
      const { rows } = await pool.query<{ most: number | null }>(
        bindNames(quantityLimitsSql, {
          ...range(replacedRows),
          codes,
          enough: limits.minQuantities,
          position: replacedRows[0]?.position ?? null,
          rows: replacedRows.map(({ row }) => row),
        }),
      );
      return rows.map(({ most }) => most);
    },
    async knownCodes(field: "chargeCode" | "warehouseCode") {
      const { rows } = await pool.query<{ code: string }>(knownCodesSql, [organisationId, field]);
      return rows.map(({ code }) => code);
    },
    async lastActivities() {
      const replacedRows = await replacedRowsLoading;
      const values = [organisationId, limits.lastActivities, replacedRows[0]?.position ?? null, replacedRows.map(({ row }) => row)];
      const { rows } = await pool.query<{ rows: number; withCustomer: number }>(lastActivitiesSql, values);
      return rows[0] ?? { rows: 0, withCustomer: 0 };
    },
    async hashes(days: readonly number[]) {
      const rows = await binaryRows(pool, { text: contentsSql, values: [organisationId, days] });
      return (rows as [Buffer, Buffer, Buffer, Buffer][]).map(([day, position, block, lows]) => {
        return { day: day.readInt32BE(), position: position.toString(), block: block.readInt32BE(), lows };
      });
    },
    async hashedRows(keys: readonly BlockKey[]) {
      const replacedRows = await replacedRowsLoading;
      const { rows } = await pool.query<{ position: string; importId: string; rest: Buffer; uncounted: number[] }>(contentRowsSql, [
        organisationId,
        keys.map(({ day }) => day),
        keys.map(({ position }) => position),
        keys.map(({ block }) => block),
      ]);
      return rows.map((row) => ({
        ...row,
        rest: toIntegers(row.rest),
        uncounted: [...row.uncounted, ...replacedRows.flatMap((each) => (each.position === row.position ? each.row : []))],
      }));
    },
  };
}

/** Reads the bytes as 32-bit integers in the processor's byte order, little-endian. Copies them, since a Buffer may not be aligned. */
const toIntegers = (bytes: Buffer) => new Int32Array(new Uint8Array(bytes).buffer);

/** Whether the tables have all rows and figures of the organisation's earlier imports. Also true if no projector has ever run. */
export const areFiguresComplete = (organisationId: string, importId: string, pool: Database): Promise<boolean> =>
  hasRow(
    pool,
    `/* prepared */ select where not exists (select from checkpoints) or exists (
              select from checkpoints own join checkpoints of_imports on of_imports.projection = 'imports'
               where own.projection = 'activities' and own.shape >= $2 and own.commit >= of_imports.commit)
        and not exists (select from imports i
                         where i.organisation_id = $1 and i.kind = 'activities' and i.import_id <> $3
                           and (i.status = 'processing' or i.status = 'queued' and i.position < (select position from imports where import_id = $3)))`,
    [organisationId, activitiesShape, importId],
  );

/** Loads only replaced rows that count: no figure includes the others. */
async function loadReplacedRows(replaced: FiguresOptions["replaced"], pool: Database): Promise<readonly ReplacedRow[]> {
  if (!replaced || replaced.rows.length === 0) return [];
  const { rows } = await pool.query<ReplacedRow>(
    `select a.import_position::text as position, a."row", a.charge_code as "chargeCode", a.warehouse_code as "warehouseCode",
            coalesce(${daySql(instantSql("a.activity_timestamp"))}, 0) as day
       from imports i join activities a on a.import_position = i.position and a."row" = any($2::integer[])
      where i.import_id = $1 and ${isCountedSql("a")}`,
    [replaced.importId, replaced.rows],
  );
  return rows;
}

/** SQL for the number of activities that count, read until it reaches `most`: each day has at least one, so `most` days are enough. */
const activityCountSql = (condition: string, most: string) =>
  `(select coalesce(sum(n), 0) from (select row_count as n from activity_codes where organisation_id = :organisationId and ${condition} limit ${most}) as days)`;

/** SQL for whether day `d` lies wholly in the range and has none of the replaced rows. */
const isWholeDaySql = `d.day > ${daySql(":since::timestamptz")} and d.day < ${daySql(":at::timestamptz")} and d.day <> all(:days::integer[])`;

const codesSql = `/* prepared */ 
  select ${activityCountSql("field = 'chargeCode'", ":enough::integer")} >= :enough::integer as enough,
         ${activityCountSql("field = asked.field and code = asked.code", "asked.without + 1")} > asked.without as known,
         case when asked.field = 'chargeCode' then
           (select :timesLargest::numeric * max(d.largest) from activity_codes d
             where d.organisation_id = :organisationId and d.field = 'chargeCode' and d.code = asked.code and ${isWholeDaySql})::float8 end as usual
    from rows from (jsonb_to_recordset(:codes) as (field text, code text, without integer)) with ordinality as asked (field, code, without, number)
   order by asked.number`;

const dayStartSql = (day: string) => `to_timestamp(${day} * 86400::bigint)`;

/**
 * Reads whole days from `activity_codes`, and other days by half hour from the totals. For a half hour that lies only partly in the range
 * or has replaced rows, it reads the rows.
 */
const quantityLimitsSql = `
  with cut as (select distinct day from unnest(array[${daySql(":since::timestamptz")}, ${daySql(":at::timestamptz")}] || :days::integer[]) as days (day))
  select case when sum(found.n) >= :enough::integer then (:timesLargest::numeric * max(found.largest))::float8 end as most
    from unnest(:codes::text[]) with ordinality as asked (code, number)
    left join lateral (
      select d.row_count as n, d.largest from activity_codes d
       where d.organisation_id = :organisationId and d.field = 'chargeCode' and d.code = asked.code and ${isWholeDaySql}
      union all
      select case when t.is_cut then rows_of.n else t.row_count end, case when t.is_cut then rows_of.largest else t.largest end
        from cut join activity_groups g on g.organisation_id = :organisationId and g.charge_code = asked.code
       cross join lateral (
         select totals.*, half_hour in (${halfHourSql(":since::timestamptz")}, ${halfHourSql(":at::timestamptz")})
                          or (import_position = :position::bigint and row_numbers && :rows::integer[]) as is_cut
           from activity_totals totals
          where organisation_id = g.organisation_id and customer_id = g.customer_id and warehouse_code = g.warehouse_code and charge_code = g.charge_code
            and half_hour >= greatest(${dayStartSql("cut.day")}, ${halfHourSql(":since::timestamptz")}) and half_hour < ${dayStartSql("(cut.day + 1)")}
            and half_hour <= :at::timestamptz) as t
        left join lateral (
         select count(*) as n, max(a.quantity) as largest from activities a
          where t.is_cut and a.import_position = t.import_position and a."row" = any(t.row_numbers)
            and ${instantSql("a.activity_timestamp")} >= :since::timestamptz and ${instantSql("a.activity_timestamp")} < :at::timestamptz
            and not (a.import_position = coalesce(:position::bigint, -1) and a."row" = any(:rows::integer[]))) as rows_of on true
    ) as found on true
   group by asked.number order by asked.number`;

/** Jumps from code to code in the index, since a code may have many rows: one for each of its days. */
const knownCodesSql = `
  with recursive known as (
    (select code from activity_codes where organisation_id = $1 and field = $2 order by code limit 1)
    union all
    select (select c.code from activity_codes c where c.organisation_id = $1 and c.field = $2 and c.code > known.code order by c.code limit 1)
      from known where known.code is not null)
  select code from known where code is not null limit ${maxKnownCodes}`;

const lastActivitiesSql = `/* prepared */ 
  select count(*)::integer as rows, count(last.customer_id)::integer as "withCustomer" from (
    select a.customer_id from
      (select position from imports i where organisation_id = $1 and kind = 'activities' and status = 'completed' and processed > 0
          and not exists (select from uncounted_imports u where u.import_position = i.position) order by position desc offset 0) as i
     cross join lateral (
       select customer_id from activities a where a.import_position = i.position
          and not exists (select from uncounted_activities u where u.import_position = a.import_position and u."row" = a."row")
          and not (a.import_position = coalesce($3::bigint, -1) and a."row" = any($4::integer[]))
        order by a."row" desc limit $2) as a
     limit $2) as last`;

const contentsSql = `
  select c.day, c.import_position::text, c.block, c.lows
    from activity_contents c join imports i on i.position = c.import_position and i.status = 'completed'
   where c.organisation_id = $1 and c.day = any($2::integer[])
     and not exists (select from uncounted_imports u where u.import_position = c.import_position)
   order by c.day, c.import_position, c.block`;

const contentRowsSql = `
  select i.position::text as position, i.import_id as "importId", c.rest,
         array(select u."row" from uncounted_activities u
                where u.import_position = asked.position and u."row" >> ${contentBlockBits} = asked.block) as uncounted
    from unnest($2::integer[], $3::bigint[], $4::integer[]) with ordinality as asked (day, position, block, number)
    join imports i on i.position = asked.position
    join activity_contents c on c.organisation_id = $1 and c.day = asked.day and c.import_position = asked.position and c.block = asked.block
   order by asked.number`;
