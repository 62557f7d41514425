// Under which keys objects are stored. Each belongs to one log: two deployments may share a bucket, and a log that was put back has
// the id of the one that it is a copy of.
import { randomUUID } from "node:crypto";
import type { ImportRequested } from "../events/importEvents.js";

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
