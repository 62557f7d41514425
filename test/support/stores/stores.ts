import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFileObjectStore, type FileObjectStore } from "../../../src/adapters/objectStore/fileObjectStore.js";
import type { S3Options } from "../../../src/adapters/objectStore/s3ObjectStore.js";

/** An embedded object store in a folder of its own. */
export async function createTestObjectStore(): Promise<{ store: FileObjectStore; folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-objects-"));
  const store = createFileObjectStore({ folder, publicUrl: "http://127.0.0.1:3000", signingSecret: "a secret of thirty-two characters" });
  await store.prepare();
  return { store, folder, close: () => rm(folder, { recursive: true, force: true }) };
}

export interface TestS3 {
  readonly options: S3Options;
  /** Undefined where the test did not start the server. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

/** A real S3 protocol server on loopback, in a process of its own; or, with TEST_S3_ENDPOINT, one that is there already. */
export async function startTestS3(): Promise<TestS3> {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY: accessKey = "", TEST_S3_SECRET_KEY: secretKey = "" } = process.env;
  const bucket = `waybill-test-${randomUUID()}`; // a test with a bucket's name written in fails on every store
  if (endpoint) {
    return { options: { endpoint, accessKey, secretKey, bucket, region: "us-east-1" }, pid: undefined, close: async () => undefined };
  }
  const directory = await mkdtemp(join(tmpdir(), "waybill-test-s3-"));
  // The IPC channel closes when this process ends, and the server ends when the channel closes.
  const child = fork(fileURLToPath(new URL("./s3Process.mjs", import.meta.url)), [directory], { execArgv: [] });
  const exited = once(child, "exit");
  const [{ port }] = (await Promise.race([once(child, "message"), exited.then(() => [{ port: 0 }])])) as [{ port: number }];
  if (port === 0) {
    await rm(directory, { recursive: true, force: true });
    throw new Error("the S3 server ended at its start");
  }
  return {
    options: { endpoint: `http://127.0.0.1:${port}`, accessKey: "S3RVER", secretKey: "S3RVER", bucket, region: "us-east-1" },
    pid: child.pid,
    close: async () => {
      child.kill("SIGKILL"); // it may be frozen
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** How a role is told of the store. */
export const s3Variables = ({ endpoint, accessKey, secretKey, bucket }: S3Options): Record<string, string> => ({
  S3_ENDPOINT: endpoint,
  S3_ACCESS_KEY: accessKey,
  S3_SECRET_KEY: secretKey,
  S3_BUCKET: bucket,
});
