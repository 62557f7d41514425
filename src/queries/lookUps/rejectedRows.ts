// src/queries/lookUps has what commands look up in the tables before they decide. The tables may be behind the streams, so commands check
// what they find against a stream. This file finds an import's rows by its position, which the caller has read from the import's stream.
import type { Pool } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { hasRow } from "../../ports/database.js";
import { supersedingImportSql } from "../../projections/tables/supersedingImport.js";

/** Whether the tables have the whole import, including its rejected rows. */
export const isShownCompleted = (importId: string, pool: Pool): Promise<boolean> =>
  hasRow(pool, "select from imports where import_id = $1 and status = 'completed'", [importId]);

export interface RejectedRowKey {
  readonly row: number;
  /** The shipmentId of a shipment's row, the reference of an activity's. */
  readonly handle: string | null;
  /** The element of a JSON push of shipments that the row comes from. Two elements with one shipmentId are two shipments. */
  readonly element: number | null;
}

/** The next rejected rows of the import after `afterRow`, in row order. */
export async function rejectedRowsAfter(position: bigint, afterRow: number, max: number, pool: Pool): Promise<RejectedRowKey[]> {
  const { rows } = await pool.query<RejectedRowKey>(
    `select "row", handle, element from rejections where import_position = $1 and "row" > $2 order by "row" limit ${max}`,
    [position, afterRow],
  );
  return rows;
}

/** The rejected rows of the import among these row numbers. */
export async function rejectedRowsAmong(position: bigint, numbers: readonly number[], pool: Pool): Promise<RejectedRowKey[]> {
  const { rows } = await pool.query<RejectedRowKey>(
    `select "row", handle, element from rejections where import_position = $1 and "row" = any($2::integer[])`,
    [position, numbers],
  );
  return rows;
}

/** All rejected lines of the shipments, or of the elements of a push, to which the given lines belong, in row order. */
export async function rejectedLinesOf(position: bigint, lines: readonly RejectedRowKey[], pool: Pool): Promise<RejectedRowKey[]> {
  const elements = new Set(lines.flatMap(({ element }) => element ?? []));
  const handles = new Set(lines.flatMap(({ element, handle }) => (element === null ? handle || [] : [])));
  const { rows } = await pool.query<RejectedRowKey>(
    `select r."row", r.handle, r.element from unnest($2::text[]) as wanted (handle)
       join rejections r on r.import_position = $1 and md5(r.handle) = md5(wanted.handle) and r.handle = wanted.handle
      union all
     select "row", handle, element from rejections where import_position = $1 and element = any($3::integer[])
      order by 1`,
    [position, [...handles], [...elements]],
  );
  return rows;
}

/** The columns that the rejected rows were sent with. All rows of a file have the same; a JSON push is small enough to read every row. */
export async function submittedColumns(position: bigint, source: "data" | "file", pool: Pool): Promise<string[]> {
  const sampleSql = source === "file" ? 'order by "row" limit 1' : "";
  const { rows } = await pool.query<{ name: string }>(
    `select distinct json_object_keys(data) as name from (select data from rejections where import_position = $1 ${sampleSql}) as some_rows`,
    [position],
  );
  return rows.map(({ name }) => name);
}

/** For each of these rejected rows that is superseded, the import that superseded it. */
export async function supersededRows(
  organisationId: string,
  position: bigint,
  rows: readonly number[],
  pool: Pool,
): Promise<Map<number, string>> {
  const found = await pool.query<{ row: number; importId: string }>(
    `select "row", "importId" from (
       select r."row", ${supersedingImportSql("$1")} as "importId" from rejections r
        where r.import_position = $2 and r."row" = any($3::integer[])) as each where "importId" is not null`,
    [organisationId, position, rows],
  );
  return new Map(found.rows.map(({ row, importId }) => [row, importId]));
}

/** Whether the shipment ledger includes all events up to this position of the event log. */
export const hasLedgerReached = (position: bigint, pool: Pool): Promise<boolean> =>
  hasRow(pool, "select from checkpoints where projection = 'shipments' and commit >= $1", [position]);

/** A larger row is not read: rows that were recorded before values were bounded may be a mebibyte each. */
const maxRowBytes = 128 * 1024;

/** SQL for the values of an activity in the ledger, by field name. */
const ledgerValuesSql = `json_strip_nulls(json_build_object(${fieldsOf("activity")
  .map(({ name, ledgerColumn }) => `'${name}', ${ledgerColumn}::text`)
  .join()}))`;

/** The values sent for these rejected rows, and those recorded for accepted activities, by row; null for a row that is too large. */
export async function rowsToCorrect(
  position: bigint,
  rows: readonly number[],
  pool: Pool,
): Promise<Map<number, Readonly<Record<string, string>> | null>> {
  const found = await pool.query<{ row: number; data: Record<string, string> | null }>(
    `select "row", case when octet_length(data::text) <= $3 then data end as data
       from (select "row", data from rejections where import_position = $1 and "row" = any($2::integer[])
             union all
             select "row", ${ledgerValuesSql} from activities where import_position = $1 and "row" = any($2::integer[])) as each`,
    [position, rows, maxRowBytes],
  );
  return new Map(found.rows.map(({ row, data }) => [row, data]));
}
