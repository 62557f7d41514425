import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { Client } from "minio";

/** A part is in memory while it is sent. */
export const partBytes = 8 * 1024 * 1024;

export interface UploadTarget {
  readonly client: Client;
  readonly bucket: string;
}

/** A multipart upload that is neither completed nor aborted; the store keeps (and bills) its parts. */
export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
}

/**
 * Sends a file, a large one in parts. The minio client could do that by itself, but it leaves the upload open when a part fails, and continues
 * any open upload of the same key, also that of another process.
 */
export async function sendFile(
  target: UploadTarget,
  key: string,
  file: { path: string; contentType: string },
  abandoned: (upload: OpenUpload) => void,
): Promise<void> {
  const { client, bucket } = target;
  const headers = { "Content-Type": file.contentType };
  const handle = await open(file.path);
  try {
    const { size } = await handle.stat();
    if (size <= partBytes) {
      await client.putObject(bucket, key, handle.createReadStream({ autoClose: false }), size, headers);
      return;
    }
    const uploadId = await client.initiateNewMultipartUpload(bucket, key, headers);
    try {
      const parts = await sendParts(target, { key, uploadId }, handle, size);
      await client.completeMultipartUpload(bucket, key, uploadId, parts);
    } catch (error) {
      abandoned({ key, uploadId }); // harmless if the store has completed the upload after all
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function sendParts(target: UploadTarget, { key, uploadId }: OpenUpload, handle: FileHandle, size: number) {
  const { client, bucket } = target;
  const parts: { part: number; etag: string }[] = [];
  const buffer = Buffer.allocUnsafeSlow(partBytes);
  for (let at = 0; at < size; at += partBytes) {
    const part = buffer.subarray(0, Math.min(partBytes, size - at));
    await fill(handle, part, at);
    const number = parts.length + 1;
    const response = await client.makeRequestAsyncOmit(
      {
        method: "PUT",
        bucketName: bucket,
        objectName: key,
        query: `partNumber=${number}&uploadId=${encodeURIComponent(uploadId)}`,
        headers: { "Content-MD5": createHash("md5").update(part).digest("base64") },
      },
      part,
    );
    parts.push({ part: number, etag: String(response.headers.etag ?? "").replaceAll('"', "") });
  }
  return parts;
}

async function fill(handle: FileHandle, part: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < part.length; ) {
    const { bytesRead } = await handle.read(part, filled, part.length - filled, position + filled);
    if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
    filled += bytesRead;
  }
}

export async function abortUpload({ client, bucket }: UploadTarget, { key, uploadId }: OpenUpload): Promise<void> {
  const query = `uploadId=${encodeURIComponent(uploadId)}`;
  await client.makeRequestAsyncOmit({ method: "DELETE", bucketName: bucket, objectName: key, query }, "", [200, 204, 404]);
}

/** Page by page. Uploads that are left open meanwhile are found by the next sweep. */
export async function* openUploads({ client, bucket }: UploadTarget, prefix: string): AsyncGenerator<OpenUpload & { begun: Date }> {
  for (let keyMarker = ""; ; ) {
    const page = await client.listIncompleteUploadsQuery(bucket, prefix, keyMarker, "", "");
    for (const { key, uploadId, initiated } of page.uploads) yield { key, uploadId, begun: initiated };
    if (!page.isTruncated || !page.nextKeyMarker || page.nextKeyMarker === keyMarker) return;
    keyMarker = page.nextKeyMarker;
  }
}
