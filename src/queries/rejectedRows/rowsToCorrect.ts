import type { Pool } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import type { ImportKind } from "../../events/importEvents.js";

/** Rows recorded before values were bounded may be a mebibyte each: such a row is not read. */
const mostBytes = 128 * 1024;

/** An activity as it is in the ledger, by field name. */
const recorded = `json_strip_nulls(json_build_object(${fieldsOf("activity")
  .map(({ name, ledgerColumn }) => `'${name}', ${ledgerColumn}::text`)
  .join()}))`;

/** The values sent for these rejected rows, and those recorded for accepted activities, by row; null for a row that is too large. */
export async function rowsToCorrect(
  organisationId: string,
  { kind, importId, rows }: { readonly kind: ImportKind; readonly importId: string; readonly rows: readonly number[] },
  pool: Pool,
): Promise<Map<number, Readonly<Record<string, string>> | null>> {
  const found = await pool.query<{ row: number; data: Record<string, string> | null }>(
    `with own_import as (select position from imports where import_id = $1 and organisation_id = $2 and kind = $3)
     select "row", case when octet_length(data::text) <= $5 then data end as data
       from (select "row", data from rejections where import_position = (select position from own_import) and "row" = any($4::integer[])
             union all
             select "row", ${recorded} from activities where import_position = (select position from own_import) and "row" = any($4::integer[])) as each`,
    [importId, organisationId, kind, rows, mostBytes],
  );
  return new Map(found.rows.map(({ row, data }) => [row, data]));
}
