// A change of the catalogue between its form or file and its application: a person looks at what it changes, and then applies it.
import { z } from "zod";
import type { CatalogueChange } from "../../events/catalogue.js";
import type { Database } from "../../ports/database.js";

export interface WaitingChange {
  readonly changeId: string;
  /** What it changes: a file's name, or a thing of the catalogue. */
  readonly about: string;
  /** The version that it was made from; `changes` lead from that to the new one. */
  readonly madeFrom: number;
  readonly changes: readonly CatalogueChange[];
  /** The page to go to when it is applied. */
  readonly goTo: string;
}

interface Owner {
  readonly organisationId: string;
  readonly memberId: string;
}

const content = z.object({ madeFrom: z.int(), changes: z.array(z.custom<CatalogueChange>()), goTo: z.string() });
const keptMinutes = 60;

/** A person's later change replaces the earlier one, so that there is one per person at most. */
export async function keepWaitingChange(pool: Database, owner: Owner, { changeId, about, ...change }: WaitingChange): Promise<void> {
  await pool.query("delete from catalogue_uploads where uploaded_at < now() - make_interval(mins => $1)", [keptMinutes]);
  await pool.query(
    `insert into catalogue_uploads (organisation_id, member_id, upload_id, file_name, file) values ($1, $2, $3, $4, $5)
     on conflict (organisation_id, member_id) do update
       set upload_id = excluded.upload_id, file_name = excluded.file_name, file = excluded.file, uploaded_at = now()`,
    [owner.organisationId, owner.memberId, changeId, about, JSON.stringify(change)],
  );
}

/** Undefined when it was replaced, applied, or made more than an hour ago, or by an earlier release. */
export async function findWaitingChange(pool: Database, owner: Owner, changeId: string): Promise<WaitingChange | undefined> {
  const { rows } = await pool.query<{ about: string; file: unknown }>(
    `select file_name as about, file from catalogue_uploads
      where organisation_id = $1 and member_id = $2 and upload_id::text = $3 and uploaded_at > now() - make_interval(mins => $4)`,
    [owner.organisationId, owner.memberId, changeId, keptMinutes],
  );
  const { success, data } = content.safeParse(rows[0]?.file);
  return success && rows[0] ? { changeId, about: rows[0].about, ...data } : undefined;
}

export async function forgetWaitingChange(pool: Database, owner: Owner, changeId: string): Promise<void> {
  await pool.query("delete from catalogue_uploads where organisation_id = $1 and member_id = $2 and upload_id::text = $3", [
    owner.organisationId,
    owner.memberId,
    changeId,
  ]);
}
