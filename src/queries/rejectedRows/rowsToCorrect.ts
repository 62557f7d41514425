import type { Pool } from "pg";
import type { ImportKind } from "../../events/importEvents.js";

/** Rows recorded before values were bounded may be a mebibyte each: such a row is not read. */
const mostBytes = 128 * 1024;

/** The values sent for these rejected rows, by row; null for a row that is too large. */
export async function rowsToCorrect(
  organisationId: string,
  { kind, importId, rows }: { readonly kind: ImportKind; readonly importId: string; readonly rows: readonly number[] },
  pool: Pool,
): Promise<Map<number, Readonly<Record<string, string>> | null>> {
  const found = await pool.query<{ row: number; data: Record<string, string> | null }>(
    `select "row", case when octet_length(data::text) <= $5 then data end as data from rejections
      where import_position = (select position from imports where import_id = $1 and organisation_id = $2 and kind = $3)
        and "row" = any($4::integer[])`,
    [importId, organisationId, kind, rows, mostBytes],
  );
  return new Map(found.rows.map(({ row, data }) => [row, data]));
}
