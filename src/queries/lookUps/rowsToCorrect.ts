import type { Pool } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";

/** Rows recorded before values were bounded may be a mebibyte each: such a row is not read. */
const mostBytes = 128 * 1024;

/** An activity as it is in the ledger, by field name. */
const recorded = `json_strip_nulls(json_build_object(${fieldsOf("activity")
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
             select "row", ${recorded} from activities where import_position = $1 and "row" = any($2::integer[])) as each`,
    [position, rows, mostBytes],
  );
  return new Map(found.rows.map(({ row, data }) => [row, data]));
}
