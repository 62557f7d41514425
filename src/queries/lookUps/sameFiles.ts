import type { Pool } from "pg";
import { hasRow } from "../../ports/database.js";

export interface FileLookUp {
  readonly organisationId: string;
  readonly kind: "shipments" | "activities";
  readonly sha256: string;
  /** Imports pushed before this time are ignored. */
  readonly since: Date;
  /** The import of the push that searches, if it has a place in the queue. */
  readonly importId: string | null;
}

/** An import that has this file, as far as the tables can tell. */
export interface SameFile {
  readonly importId: string;
  /** `recorded`: `imports` has it. `reserved`: its push has a place in the queue, may yet record the import, and may have this file. */
  readonly known: "recorded" | "reserved";
  /** How many rows the import has written; null unless the tables show it as completed. */
  readonly processed: number | null;
}

/** A push is answered within this time after it has reserved its place. */
const maxPushSeconds = 5;
const maxImports = 50;

/**
 * The imports with this file, the one pushed last first: those that the tables do not show as failed, cancelled or wholly reversed, and
 * those that are about to be recorded.
 */
export async function importsWithFile({ organisationId, kind, sha256, since, importId }: FileLookUp, pool: Pool): Promise<SameFile[]> {
  const { rows } = await pool.query<SameFile>(
    `/* prepared */ with reserved as (
       select import_id from import_queue
        where organisation_id = $1 and position is null and (kind is null or (kind = $2 and file_sha256 = $3)) and not cancel_requested
          and ($5::uuid is null or reserved_at < (select reserved_at from import_queue where import_id = $5))
     ), recorded as (
       select import_id, position, case when status = 'completed' then processed end as processed from imports i
        where organisation_id = $1 and kind = $2 and file_sha256 = $3 and submitted_at >= $4 and corrects is null
          and status in ('queued', 'processing', 'completed')
          and not exists (select from reversals r where r.import_id = i.import_id having bool_or(is_all) or sum(count) >= processed)
          and not exists (select from import_queue q where q.import_id = i.import_id and q.cancel_requested)
        order by position desc limit ${maxImports}
     )
     select import_id as "importId", known, processed from (
       select import_id, position, 'recorded' as known, processed from recorded
       union all
       select import_id, null, 'reserved', null from reserved r where not exists (select from imports i where i.import_id = r.import_id)
     ) as found
      where import_id is distinct from $5 order by position desc nulls first limit ${maxImports}`,
    [organisationId, kind, sha256, since, importId],
  );
  return rows;
}

/** Whether a push that has reserved its place may still append its event. */
export const isBeingRecorded = (importId: string, pool: Pool): Promise<boolean> =>
  hasRow(
    pool,
    `select from import_queue where import_id = $1 and position is null and not cancel_requested
        and reserved_at > now() - make_interval(secs => ${maxPushSeconds})`,
    [importId],
  );
