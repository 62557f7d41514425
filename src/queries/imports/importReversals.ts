import type { Database } from "../../ports/database.js";

export interface ImportReversal {
  readonly reversalId: string;
  readonly at: Date;
  readonly reason: string;
  /** `kind:id`. */
  readonly actor: string;
  /** How many activities or shipments were reversed. */
  readonly count: number;
  /** Whether the whole import was reversed. */
  readonly all: boolean;
  /** The reversed rows, first and last of each range; null for the whole import. */
  readonly rows: readonly (readonly [first: number, last: number])[] | null;
}

/** One page of an import's reversals, oldest first: an import can have as many as it has rows. */
export async function importReversals(
  organisationId: string,
  importId: string,
  { after, count }: { readonly after: string | undefined; readonly count: number },
  pool: Database,
): Promise<(ImportReversal & { readonly position: string })[]> {
  const { rows } = await pool.query<ImportReversal & { position: string }>(
    `select reversal_id as "reversalId", position::text as position, at, reason, reversed_by as actor, count, is_all as "all",
            (select json_agg(json_build_array(lower(part), upper(part) - 1) order by part) from unnest(rows) as part) as rows
       from reversals where import_id = $1 and organisation_id = $2 and ($3::bigint is null or reversals.position > $3)
      order by reversals.position limit $4`,
    [importId, organisationId, after ?? null, count],
  );
  return rows;
}
