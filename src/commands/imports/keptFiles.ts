// Uploaded files that a person reviews in the portal before they become imports. Each is kept for a day. At most 20 per organisation wait.
import type { Pool } from "pg";
import { v7 } from "uuid";
import type { Evidence } from "../../domain/imports/columns/evidence.js";
import type { ImportColumns, ImportKind } from "../../events/importEvents.js";
import type { CheckedFile } from "../../judging/fileChecks.js";
import { bindNames } from "../../namedSql.js";
import type { Stores } from "../../ports/database.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { FileFormat } from "../../ports/spreadsheets.js";
import { logIdOf } from "../logIdentity.js";

export const keptFilesPerOrganisation = 20;
export const keptFileHours = 24;

export const keptFilePrefix = (logId: string): string => `kept/${logId}/`;

export interface FileToKeep {
  /** A form that is sent again has the same id. */
  readonly fileId?: string;
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly sourceDetails: string;
  readonly file: { path: string; name: string; format: FileFormat; size: number; sha256: string };
  /** The header row. */
  readonly columns: readonly string[];
  /** By column: some of its values, and the values that show how its numbers are written. */
  readonly evidence: Evidence;
  /** Remarks for people on how the file is read. */
  readonly notes: readonly string[];
  readonly checked: FileCheckState;
}

/** What the person has chosen and the portal has found, so that the import does the same. Stored as JSON. */
export interface FileCheckState {
  /** Whether the person wants an uploaded error report to be a correction or a new file. Empty if the person did not say. */
  readonly take: string;
  /** Which field each column holds, if the headings are not our own column names. */
  readonly columns?: ImportColumns | undefined;
  /** True until the person or the portal has decided which fields the columns hold. */
  readonly undecided?: boolean | undefined;
  /** Set for a file that looks like an error report, with the import that it names, if it names one. */
  readonly report?: { readonly importId?: string | undefined } | undefined;
  /** What the portal's check of the file found. */
  readonly found?: FoundInFile | undefined;
  /** For an error report: the imports made from it, and why some of its rows were not sent. */
  readonly sent?: { readonly importIds: readonly string[]; readonly refused?: string | undefined } | undefined;
}

const uncheckedState: FileCheckState = { take: "", undecided: true };

export interface FoundInFile extends CheckedFile {
  /** How many of the file's shipments are already in the ledger and would be replaced. */
  readonly replaced: number;
}

export interface KeptFile extends Omit<FileToKeep, "file" | "fileId"> {
  readonly fileId: string;
  readonly file: Omit<FileToKeep["file"], "path"> & { readonly key: string };
  /** The import that the file became; null until then. */
  readonly importId: string | null;
}

interface Deps extends Stores {
  readonly objectStore: ObjectStore;
}

/** Returns the file's id. Deletes the organisation's oldest waiting files beyond the limit. */
export async function keepFile({ pool, eventStore, objectStore }: Deps, newFile: FileToKeep): Promise<string> {
  const { fileId = v7(), organisationId, file, columns, evidence, notes, checked } = newFile;
  const key = `${keptFilePrefix(await logIdOf(eventStore))}${organisationId}/${fileId}`;
  await objectStore.put(key, file.path, { contentType: "application/octet-stream" });
  const json = { columns: JSON.stringify(columns), evidence: JSON.stringify(evidence), notes: JSON.stringify(notes) };
  await pool.query(
    bindNames(
      `insert into kept_files (file_id, organisation_id, kind, name, format, size, sha256, source_details, object_key, columns, "values", notes, checked)
       values (:fileId, :organisationId, :kind, :name, :format, :size, :sha256, :sourceDetails, :key, :columns, :evidence, :notes, :checked)
       on conflict (file_id) do update set kept_at = now()`,
      { ...newFile, ...file, ...json, fileId, key, checked: JSON.stringify(checked) },
    ),
  );
  await deleteKeptFiles(
    { pool, objectStore },
    `file_id in (
       select file_id from kept_files where organisation_id = $1 and import_id is null order by kept_at desc, file_id desc offset ${keptFilesPerOrganisation})`,
    [organisationId],
  );
  return fileId;
}

/** Undefined for a file of another organisation, and for one that is no longer kept. */
export async function findKeptFile(organisationId: string, fileId: string, pool: Pool): Promise<KeptFile | undefined> {
  const { rows } = await pool.query<Omit<KeptFile, "file"> & Omit<KeptFile["file"], "size"> & { size: string }>(
    `select file_id as "fileId", organisation_id as "organisationId", kind, name, format, size, sha256, source_details as "sourceDetails",
            object_key as key, columns, "values" as evidence, notes, checked, import_id as "importId"
       from kept_files where organisation_id = $1 and file_id::text = $2 and kept_at > now() - make_interval(hours => ${keptFileHours})`,
    [organisationId, fileId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { name, format, size, sha256, key, ...rest } = row;
  // An earlier version stored the values alone.
  const evidence = Array.isArray(rest.evidence) ? { values: rest.evidence, numbers: [] } : rest.evidence;
  return { ...rest, evidence, checked: rest.checked ?? uncheckedState, file: { name, format, size: Number(size), sha256, key } };
}

/** Saves what a review can change. */
export async function saveKeptFile(pool: Pool, { fileId, kind, evidence, checked }: KeptFile): Promise<void> {
  const values = [fileId, kind, JSON.stringify(evidence), JSON.stringify(checked)];
  await pool.query(`update kept_files set kind = $2, "values" = $3, checked = $4 where file_id = $1`, values);
}

/** Deletes a file when the same person has chosen another in its place. A file that became an import stays. */
export const dropKeptFile = (organisationId: string, fileId: string, deps: Pick<Deps, "pool" | "objectStore">): Promise<void> =>
  deleteKeptFiles(deps, "organisation_id = $1 and file_id::text = $2 and import_id is null", [organisationId, fileId]);

async function deleteKeptFiles({ pool, objectStore }: Pick<Deps, "pool" | "objectStore">, condition: string, values: unknown[]) {
  const { rows } = await pool.query<{ key: string }>(`delete from kept_files where ${condition} returning object_key as key`, values);
  for (const { key } of rows) await objectStore.remove(key).catch(() => undefined); // if this fails, a worker removes it later
}

/** Removes a file that has become an import, which has its own copy. The row stays, so that sending the form again finds the import. */
export async function releaseKeptFile(
  { pool, objectStore }: Pick<Deps, "pool" | "objectStore">,
  { fileId, file }: KeptFile,
  importId: string,
): Promise<void> {
  await pool.query("update kept_files set import_id = $2 where file_id = $1", [fileId, importId]);
  await objectStore.remove(file.key).catch(() => undefined);
}

/** Removes this event log's files that were kept for longer than `keptFileHours`. Returns how many. */
export async function removeExpiredKeptFiles(
  { pool, eventStore, objectStore }: Deps,
  { now, signal }: { now: Date; signal?: AbortSignal | undefined },
): Promise<number> {
  await pool.query(`delete from kept_files where kept_at < now() - make_interval(hours => ${keptFileHours})`);
  const oldest = now.getTime() - keptFileHours * 3_600_000;
  let removed = 0;
  for await (const { key, modifiedAt } of objectStore.list(keptFilePrefix(await logIdOf(eventStore)))) {
    if (signal?.aborted) break;
    if (modifiedAt.getTime() >= oldest) continue;
    await objectStore.remove(key);
    removed += 1;
  }
  return removed;
}
