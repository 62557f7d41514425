// An organisation file between its upload and its application: a person looks at what it changes, and then applies it.
import type { Pool } from "pg";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";

type Database = Pick<Pool, "query">;

export interface CatalogueUpload {
  readonly uploadId: string;
  readonly fileName: string;
  readonly file: OrganisationFile;
}

interface Owner {
  readonly organisationId: string;
  readonly memberId: string;
}

const keptMinutes = 60;

/** A person's later upload replaces the earlier one, so that there is one file per person at most. */
export async function keepCatalogueUpload(pool: Database, owner: Owner, { uploadId, fileName, file }: CatalogueUpload): Promise<void> {
  await pool.query("delete from catalogue_uploads where uploaded_at < now() - make_interval(mins => $1)", [keptMinutes]);
  await pool.query(
    `insert into catalogue_uploads (organisation_id, member_id, upload_id, file_name, file) values ($1, $2, $3, $4, $5)
     on conflict (organisation_id, member_id) do update
       set upload_id = excluded.upload_id, file_name = excluded.file_name, file = excluded.file, uploaded_at = now()`,
    [owner.organisationId, owner.memberId, uploadId, fileName, JSON.stringify(file)],
  );
}

/** Undefined when it was replaced, applied, or uploaded more than an hour ago. */
export async function findCatalogueUpload(pool: Database, owner: Owner, uploadId: string): Promise<CatalogueUpload | undefined> {
  const { rows } = await pool.query<CatalogueUpload>(
    `select upload_id as "uploadId", file_name as "fileName", file from catalogue_uploads
      where organisation_id = $1 and member_id = $2 and upload_id::text = $3 and uploaded_at > now() - make_interval(mins => $4)`,
    [owner.organisationId, owner.memberId, uploadId, keptMinutes],
  );
  return rows[0];
}

export async function forgetCatalogueUpload(pool: Database, owner: Owner, uploadId: string): Promise<void> {
  await pool.query("delete from catalogue_uploads where organisation_id = $1 and member_id = $2 and upload_id::text = $3", [
    owner.organisationId,
    owner.memberId,
    uploadId,
  ]);
}
