// Under which keys objects are stored. Each belongs to one log: two deployments may share a bucket, and a log that was put back has
// the id of the one that it is a copy of.
import { randomUUID } from "node:crypto";
import type { ImportRequested } from "../../events/importEvents.js";

export const uploadsPrefix = "uploads/";

export const newUploadKey = (organisationId: string, logId: string): string => `${uploadsPrefix}${organisationId}/${logId}/${randomUUID()}`;

/** The log that an upload belongs to; undefined for one stored before logs had ids. */
export function logOfUpload(key: string): string | undefined {
  const [, , logId, object] = key.split("/");
  return object === undefined ? undefined : logId;
}

/** An import's id may follow from an Idempotency-Key, and so be the same in two logs. */
export function reportKey({ importId, file }: Pick<ImportRequested, "importId" | "file">): string {
  const logId = logOfUpload(file.key);
  return logId === undefined ? `reports/${importId}.xlsx` : `reports/${logId}/${importId}.xlsx`;
}

interface Aside {
  readonly logId: string;
  /** When it was moved, `2026-03-01`. */
  readonly day: string;
  readonly importId: string;
  /** Where it was. */
  readonly key: string;
}

export const asidePrefix = (logId: string): string => `aside/${logId}/`;

/** Where a refused upload waits for a month before it is removed; its old key is the end of the new one. */
export const asideKey = ({ logId, day, importId, key }: Aside): string => `${asidePrefix(logId)}${day}/${importId}/${key}`;

export function partsOfAside(aside: string): Aside | undefined {
  const [, logId, day = "", importId, ...rest] = aside.split("/");
  if (logId === undefined || importId === undefined || rest.length === 0 || Number.isNaN(Date.parse(day))) return undefined;
  return { logId, day, importId, key: rest.join("/") };
}
