import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";
import { createFileObjectStore, type FileObjectStore } from "../../src/adapters/objectStore/fileObjectStore.js";
import type { S3Options } from "../../src/adapters/objectStore/s3ObjectStore.js";

/** An embedded object store in a folder of its own. */
export async function createTestObjectStore(): Promise<{ store: FileObjectStore; folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-objects-"));
  const store = createFileObjectStore({ folder, publicUrl: "http://127.0.0.1:3000", signingSecret: "a secret of thirty-two characters" });
  return { store, folder, close: () => rm(folder, { recursive: true, force: true }) };
}

/** A real S3 protocol server on loopback that verifies signatures and their expiry; or, with TEST_S3_ENDPOINT, one that is there already. */
export async function startTestS3(): Promise<{ options: S3Options; close(): Promise<void> }> {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY: accessKey = "", TEST_S3_SECRET_KEY: secretKey = "" } = process.env;
  if (endpoint) {
    const bucket = `waybill-test-${randomUUID()}`;
    return { options: { endpoint, accessKey, secretKey, bucket, region: "us-east-1" }, close: async () => undefined };
  }
  const directory = await mkdtemp(join(tmpdir(), "waybill-test-s3-"));
  const serve = new S3rver({ directory, silent: true }).callback();
  const server = createServer((request, response) => {
    // The one question of the minio client that this server does not know: which uploads were left unfinished? None.
    if (request.method === "GET" && /[?&]uploads(=|&|$)/.test(request.url ?? "")) {
      response
        .setHeader("content-type", "application/xml")
        .end("<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>");
    } else serve(request, response);
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const { port } = server.address() as AddressInfo;
  return {
    options: {
      endpoint: `http://127.0.0.1:${port}`,
      accessKey: "S3RVER",
      secretKey: "S3RVER",
      bucket: "waybill-test",
      region: "us-east-1",
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
