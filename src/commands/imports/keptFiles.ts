// Uploaded files that are not imports yet: a person looks at what was found in them first. They are kept for a day, a few for each organisation.
import type { Pool } from "pg";
import { v7 } from "uuid";
import type { Evidence } from "../../domain/imports/columns/evidence.js";
import type { ImportColumns, ImportKind } from "../../events/importEvents.js";
import type { CheckedFile } from "../../judging/fileChecks.js";
import { named } from "../../namedSql.js";
import type { Stores } from "../../ports/database.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { FileFormat } from "../../ports/spreadsheets.js";
import { logIdOf } from "../logIdentity.js";

export const keptFilesPerOrganisation = 20;
export const keptFileHours = 24;

export const keptPrefix = (logId: string): string => `kept/${logId}/`;

export interface FileToKeep {
  /** The same for a form that is sent again. */
  readonly fileId?: string;
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly sourceDetails: string;
  readonly file: { path: string; name: string; format: FileFormat; size: number; sha256: string };
  /** The header row. */
  readonly columns: readonly string[];
  /** By column: some of its values, and those that say how its numbers are written. */
  readonly evidence: Evidence;
  /** Remarks for the customer on how the file is read. */
  readonly notes: readonly string[];
  readonly checked: FileCheckState;
}

/** What is known of the file, so that the same is done when it is uploaded. */
export interface FileCheckState {
  /** How to take an error report: as a correction or as a new file. Empty if the person did not say. */
  readonly take: string;
  /** What its columns are taken for, where its headings are not ours. */
  readonly columns?: ImportColumns | undefined;
  /** Set until it is known what its columns are. */
  readonly undecided?: boolean | undefined;
  /** Of what looks like an error report: the import, where it says of which it is. */
  readonly report?: { readonly importId?: string | undefined } | undefined;
  /** What Check found. */
  readonly found?: FoundInFile | undefined;
  /** Of an error report: the imports that were made of it, and why not all of it could be sent. */
  readonly sent?: { readonly importIds: readonly string[]; readonly refused?: string | undefined } | undefined;
}

/** Nothing is known yet. */
const unread: FileCheckState = { take: "", undecided: true };

export interface FoundInFile extends CheckedFile {
  /** How many of its shipments the ledger has already. */
  readonly replaced: number;
}

export interface KeptFile extends Omit<FileToKeep, "file" | "fileId"> {
  readonly fileId: string;
  readonly file: Omit<FileToKeep["file"], "path"> & { readonly key: string };
  /** The import that it became. */
  readonly importId: string | null;
}

interface Deps extends Stores {
  readonly objectStore: ObjectStore;
}

/** Returns the file's id. The organisation's oldest files that wait make room for it. */
export async function keepFile({ pool, eventStore, objectStore }: Deps, kept: FileToKeep): Promise<string> {
  const { fileId = v7(), organisationId, file, columns, evidence, notes, checked } = kept;
  const key = `${keptPrefix(await logIdOf(eventStore))}${organisationId}/${fileId}`;
  await objectStore.put(key, file.path, { contentType: "application/octet-stream" });
  const json = { columns: JSON.stringify(columns), evidence: JSON.stringify(evidence), notes: JSON.stringify(notes) };
  await pool.query(
    named(
      `insert into kept_files (file_id, organisation_id, kind, name, format, size, sha256, source_details, object_key, columns, "values", notes, checked)
       values (:fileId, :organisationId, :kind, :name, :format, :size, :sha256, :sourceDetails, :key, :columns, :evidence, :notes, :checked)
       on conflict (file_id) do update set kept_at = now()`,
      { ...kept, ...file, ...json, fileId, key, checked: JSON.stringify(checked) },
    ),
  );
  await deleteKept(
    { pool, objectStore },
    `file_id in (
       select file_id from kept_files where organisation_id = $1 and import_id is null order by kept_at desc, file_id desc offset ${keptFilesPerOrganisation})`,
    [organisationId],
  );
  return fileId;
}

/** Undefined for a file of another organisation, and for one that is no longer kept. */
export async function keptFile(organisationId: string, fileId: string, pool: Pool): Promise<KeptFile | undefined> {
  const { rows } = await pool.query<Omit<KeptFile, "file"> & Omit<KeptFile["file"], "size"> & { size: string }>(
    `select file_id as "fileId", organisation_id as "organisationId", kind, name, format, size, sha256, source_details as "sourceDetails",
            object_key as key, columns, "values" as evidence, notes, checked, import_id as "importId"
       from kept_files where organisation_id = $1 and file_id::text = $2 and kept_at > now() - make_interval(hours => ${keptFileHours})`,
    [organisationId, fileId],
  );
  const [found] = rows;
  if (!found) return undefined;
  const { name, format, size, sha256, key, ...rest } = found;
  // The version before kept the values alone.
  const evidence = Array.isArray(rest.evidence) ? { values: rest.evidence, numbers: [] } : rest.evidence;
  return { ...rest, evidence, checked: rest.checked ?? unread, file: { name, format, size: Number(size), sha256, key } };
}

/** Remembers what is known of the file now. */
export async function saveKept(pool: Pool, { fileId, kind, evidence, checked }: KeptFile): Promise<void> {
  await pool.query(`update kept_files set kind = $2, "values" = $3, checked = $4 where file_id = $1`, [
    fileId,
    kind,
    JSON.stringify(evidence),
    JSON.stringify(checked),
  ]);
}

/** Makes room at once: the same person has chosen another file in its place. A file that became an import stays. */
export const dropKept = (organisationId: string, fileId: string, deps: Pick<Deps, "pool" | "objectStore">): Promise<void> =>
  deleteKept(deps, "organisation_id = $1 and file_id::text = $2 and import_id is null", [organisationId, fileId]);

async function deleteKept({ pool, objectStore }: Pick<Deps, "pool" | "objectStore">, condition: string, values: unknown[]): Promise<void> {
  const { rows } = await pool.query<{ key: string }>(`delete from kept_files where ${condition} returning object_key as key`, values);
  for (const { key } of rows) await objectStore.remove(key).catch(() => undefined); // the workers remove it otherwise
}

/** The file has become an import, which has a copy of its own. The row stays, so that sending the same form again finds the import. */
export async function releaseFile(
  { pool, objectStore }: Pick<Deps, "pool" | "objectStore">,
  { fileId, file }: KeptFile,
  importId: string,
): Promise<void> {
  await pool.query("update kept_files set import_id = $2 where file_id = $1", [fileId, importId]);
  await objectStore.remove(file.key).catch(() => undefined);
}

/** Removes the files of this event log whose time is over. */
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
