// Files that wait for a person to choose what their columns are. They are kept for a day, a few for each organisation.
import type { Pool } from "pg";
import { v7 } from "uuid";
import type { ImportKind } from "../../events/importEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { FileFormat } from "../../ports/spreadsheets.js";
import { logIdOf } from "../logIdentity.js";

export const keptFilesPerOrganisation = 20;
export const keptFileHours = 24;

export const keptPrefix = (logId: string): string => `kept/${logId}/`;

export interface FileToKeep {
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly sourceDetails: string;
  readonly file: { path: string; name: string; format: FileFormat; size: number; sha256: string };
  /** The header row. */
  readonly columns: readonly string[];
  /** By column: some of its values. */
  readonly values: readonly (readonly string[])[];
}

export interface KeptFile extends Omit<FileToKeep, "file"> {
  readonly fileId: string;
  readonly file: Omit<FileToKeep["file"], "path"> & { readonly key: string };
  /** The import that it became. */
  readonly importId: string | null;
}

interface Deps {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly objectStore: ObjectStore;
}

/** Returns the file's id. The organisation's oldest files make room for it. */
export async function keepFile({ pool, eventStore, objectStore }: Deps, kept: FileToKeep): Promise<string> {
  const { organisationId, kind, sourceDetails, columns, values } = kept;
  const { path, name, format, size, sha256 } = kept.file;
  const fileId = v7();
  const key = `${keptPrefix(await logIdOf(eventStore))}${organisationId}/${fileId}`;
  await objectStore.put(key, path, { contentType: "application/octet-stream" });
  await pool.query(
    `insert into kept_files (file_id, organisation_id, kind, name, format, size, sha256, source_details, object_key, columns, "values")
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [fileId, organisationId, kind, name, format, size, sha256, sourceDetails, key, JSON.stringify(columns), JSON.stringify(values)],
  );
  const { rows } = await pool.query<{ key: string }>(
    `delete from kept_files where file_id in (
       select file_id from kept_files where organisation_id = $1 order by kept_at desc, file_id desc offset ${keptFilesPerOrganisation})
     returning object_key as key`,
    [organisationId],
  );
  for (const { key: old } of rows) await objectStore.remove(old).catch(() => undefined); // the workers remove it otherwise
  return fileId;
}

/** Undefined for a file of another organisation, and for one that is no longer kept. */
export async function keptFile(pool: Pool, organisationId: string, fileId: string): Promise<KeptFile | undefined> {
  const { rows } = await pool.query<Omit<KeptFile, "file"> & Omit<KeptFile["file"], "size"> & { size: string }>(
    `select file_id as "fileId", organisation_id as "organisationId", kind, name, format, size, sha256, source_details as "sourceDetails",
            object_key as key, columns, "values", import_id as "importId"
       from kept_files where organisation_id = $1 and file_id::text = $2 and kept_at > now() - make_interval(hours => ${keptFileHours})`,
    [organisationId, fileId],
  );
  const [found] = rows;
  if (!found) return undefined;
  const { name, format, size, sha256, key, ...rest } = found;
  return { ...rest, file: { name, format, size: Number(size), sha256, key } };
}

/** The file has become an import, which has a copy of its own. The row stays for who sends the same form again. */
export async function releaseFile(
  { pool, objectStore }: Pick<Deps, "pool" | "objectStore">,
  { fileId, file }: KeptFile,
  importId: string,
): Promise<void> {
  await pool.query("update kept_files set import_id = $2 where file_id = $1", [fileId, importId]);
  await objectStore.remove(file.key).catch(() => undefined);
}

/** Removes the files of this log whose time is over. */
export async function sweepKeptFiles(
  { pool, eventStore, objectStore }: Deps,
  { now, signal }: { now: Date; signal?: AbortSignal | undefined },
): Promise<number> {
  await pool.query(`delete from kept_files where kept_at < now() - make_interval(hours => ${keptFileHours})`);
  const oldest = now.getTime() - keptFileHours * 3_600_000;
  let removed = 0;
  for await (const { key, modifiedAt } of objectStore.list(keptPrefix(await logIdOf(eventStore)))) {
    if (signal?.aborted) break;
    if (modifiedAt.getTime() >= oldest) continue;
    await objectStore.remove(key);
    removed += 1;
  }
  return removed;
}
