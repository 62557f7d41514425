import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "minio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createS3ObjectStore } from "../../../src/adapters/objectStore/s3ObjectStore.js";
import { logIdOf } from "../../../src/commands/logIdentity.js";
import { sweepUploads } from "../../../src/workers/imports/upkeep/sweeps.js";
import { startTestS3, type TestS3 } from "../../support/stores/stores.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage;
let s3: TestS3;
beforeAll(async () => {
  stage = await openStage();
  s3 = await startTestS3();
});
afterAll(async () => {
  await s3?.close();
  await stage?.close();
});

test("open multipart uploads of this log are aborted after a day; those of other logs, of other programs, and recent ones stay", async () => {
  const logId = await logIdOf(stage.eventStore);
  const otherLog = "01a1dd3b-948c-47d6-89c7-a44053ebeedc";
  const objectStore = createS3ObjectStore(s3.options);
  await objectStore.prepare();
  const { hostname, port } = new URL(s3.options.endpoint);
  const client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, ...s3.options });
  const begin = (key: string) => client.initiateNewMultipartUpload(s3.options.bucket, key, {});
  const open = async () => (await client.listIncompleteUploadsQuery(s3.options.bucket, "", "", "", "")).uploads.map(({ key }) => key);
  const ours = [`uploads/demo/${logId}/a`, `reports/${logId}/b.xlsx`];
  const others = [`uploads/demo/${otherLog}/a`, "uploads/demo/old", `reports/${otherLog}/b.xlsx`, "reports/old.xlsx", "elsewhere/c"];
  for (const key of [...ours, ...others]) await begin(key);
  const deps = stage.deps({ objectStore });
  expect(await sweepUploads(deps)).toBe(0); // none of them is a day old
  expect(await open()).toHaveLength(ours.length + others.length);
  expect(await sweepUploads(deps, -60_000)).toBe(ours.length);
  expect(await open()).toEqual([...others].sort());
  objectStore.close();
});

test("files that did not arrive whole in the embedded object store are removed after a day", async () => {
  const incoming = join(stage.objectsFolder, "incoming");
  await mkdir(incoming, { recursive: true });
  for (const name of ["old", "new"]) await writeFile(join(incoming, name), "x");
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(incoming, "old"), yesterday, yesterday);
  expect(await sweepUploads(stage.deps())).toBe(1);
  expect(await readdir(incoming)).toEqual(["new"]);
});
