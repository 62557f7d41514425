// The keys of stored objects. Each key names its log, since two deployments may share a bucket. A restored log has the id of the log it is
// a copy of.
import { randomUUID } from "node:crypto";
import type { ImportRequested } from "../../events/importEvents.js";

export const uploadsPrefix = "uploads/";

export const newUploadKey = (organisationId: string, logId: string): string => `${uploadsPrefix}${organisationId}/${logId}/${randomUUID()}`;

/** The log that an upload belongs to; undefined for one stored before logs had ids. */
export function logOfUpload(key: string): string | undefined {
  const [, , logId, object] = key.split("/");
  return object === undefined ? undefined : logId;
}

/** Has the log's id, because an import's id that is derived from an Idempotency-Key may be the same in two logs. */
export function reportKey({ importId, file }: Pick<ImportRequested, "importId" | "file">): string {
  const logId = logOfUpload(file.key);
  return logId === undefined ? `reports/${importId}.xlsx` : `reports/${logId}/${importId}.xlsx`;
}

interface Aside {
  readonly logId: string;
  /** The day on which it was moved, such as `2026-03-01`. */
  readonly day: string;
  readonly importId: string;
  /** Its former key. */
  readonly key: string;
}

export const asidePrefix = (logId: string): string => `aside/${logId}/`;

/** The key under which the upload of a refused push is kept for a month before it is removed. It ends with the former key. */
export const asideKey = ({ logId, day, importId, key }: Aside): string => `${asidePrefix(logId)}${day}/${importId}/${key}`;

export function partsOfAside(aside: string): Aside | undefined {
  const [, logId, day = "", importId, ...rest] = aside.split("/");
  if (logId === undefined || importId === undefined || rest.length === 0 || Number.isNaN(Date.parse(day))) return undefined;
  return { logId, day, importId, key: rest.join("/") };
}
