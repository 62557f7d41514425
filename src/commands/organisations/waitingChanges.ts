// Changes of the catalogue that a person has sent in a form or a file, and that wait until the person has reviewed and applied them.
import { z } from "zod";
import type { CatalogueChange } from "../../events/catalogue.js";
import type { Database } from "../../ports/database.js";

export interface WaitingChange {
  readonly changeId: string;
  /** What the page calls the change: a file's name, or an entry of the catalogue. */
  readonly subject: string;
  /** The catalogue version that `changes` apply to. */
  readonly madeFrom: number;
  readonly changes: readonly CatalogueChange[];
  /** The page to go to once the change is applied. */
  readonly goTo: string;
}

interface Owner {
  readonly organisationId: string;
  readonly memberId: string;
}

const storedChange = z.object({ madeFrom: z.int(), changes: z.array(z.custom<CatalogueChange>()), goTo: z.string() });
const keptMinutes = 60;

/** A person's later change replaces the earlier one, so each person has at most one. */
export async function keepWaitingChange(pool: Database, owner: Owner, { changeId, subject, ...change }: WaitingChange): Promise<void> {
  await pool.query("delete from catalogue_uploads where uploaded_at < now() - make_interval(mins => $1)", [keptMinutes]);
  await pool.query(
    `insert into catalogue_uploads (organisation_id, member_id, upload_id, file_name, file) values ($1, $2, $3, $4, $5)
     on conflict (organisation_id, member_id) do update
       set upload_id = excluded.upload_id, file_name = excluded.file_name, file = excluded.file, uploaded_at = now()`,
    [owner.organisationId, owner.memberId, changeId, subject, JSON.stringify(change)],
  );
}

/** Undefined for a change that was replaced, applied or forgotten, is older than an hour, or was stored by an earlier release. */
export async function findWaitingChange(pool: Database, owner: Owner, changeId: string): Promise<WaitingChange | undefined> {
  const { rows } = await pool.query<{ subject: string; file: unknown }>(
    `select file_name as subject, file from catalogue_uploads
      where organisation_id = $1 and member_id = $2 and upload_id::text = $3 and uploaded_at > now() - make_interval(mins => $4)`,
    [owner.organisationId, owner.memberId, changeId, keptMinutes],
  );
  const { success, data } = storedChange.safeParse(rows[0]?.file);
  return success && rows[0] ? { changeId, subject: rows[0].subject, ...data } : undefined;
}

export async function forgetWaitingChange(pool: Database, owner: Owner, changeId: string): Promise<void> {
  const deleteSql = "delete from catalogue_uploads where organisation_id = $1 and member_id = $2 and upload_id::text = $3";
  await pool.query(deleteSql, [owner.organisationId, owner.memberId, changeId]);
}
