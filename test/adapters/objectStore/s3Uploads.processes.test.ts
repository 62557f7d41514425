// Multipart uploads that fail on the way: none of them stays open in the bucket.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "minio";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createS3ObjectStore } from "../../../src/adapters/objectStore/s3ObjectStore.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import { eventually } from "../../support/eventually.js";
import { startTestS3, type TestS3 } from "../../support/stores/stores.js";

type Verdict = "pass" | "refuse" | "lose";

let s3: TestS3;
let folder: string;
/** Decides for each request: pass it on, answer 500, or pass it on and lose the answer. */
let judge: (request: IncomingMessage) => Verdict = () => "pass";
const inFront = createServer((near, answer) => {
  const verdict = judge(near);
  if (verdict === "refuse") return void near.resume().on("end", () => answer.writeHead(500).end());
  const { hostname, port } = new URL(s3.options.endpoint);
  const far = request({ host: hostname, port, method: near.method, path: near.url, headers: near.headers }, (reply) => {
    if (verdict === "lose") return void reply.resume().on("end", () => near.socket.destroy());
    answer.writeHead(reply.statusCode ?? 500, reply.headers);
    reply.pipe(answer);
  });
  near.pipe(far);
});
let store: ReturnType<typeof createS3ObjectStore>;
let client: Client;
let path: string;

beforeAll(async () => {
  s3 = await startTestS3();
  folder = await mkdtemp(join(tmpdir(), "waybill-test-uploads-"));
  await new Promise<void>((settle) => inFront.listen(0, "127.0.0.1", settle));
  store = createS3ObjectStore({ ...s3.options, endpoint: `http://127.0.0.1:${(inFront.address() as AddressInfo).port}` });
  await store.prepare();
  const { hostname, port } = new URL(s3.options.endpoint);
  client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, ...s3.options });
  path = join(folder, "large");
  await writeFile(path, Buffer.alloc(17 * 1024 * 1024, "0123456789abcdefg"));
});
afterAll(async () => {
  store?.close();
  inFront.closeAllConnections();
  inFront.close();
  await s3?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  judge = () => "pass";
});

const openUploads = async () => (await client.listIncompleteUploadsQuery(s3.options.bucket, "", "", "", "")).uploads;
const put = (key: string) => store.put(key, path, { contentType: "text/csv" });
const isPart = (asked: IncomingMessage, number: number) => asked.method === "PUT" && (asked.url ?? "").includes(`partNumber=${number}`);

test("an upload whose part is refused every time fails, and all its multipart uploads are aborted", async () => {
  let begun = 0;
  judge = (asked) => {
    if (asked.method === "POST" && /[?&]uploads(=|&|$)/.test(asked.url ?? "")) begun += 1;
    return isPart(asked, 2) ? "refuse" : "pass";
  };
  await expect(put("uploads/demo/refused")).rejects.toBeInstanceOf(StoreUnavailable);
  expect(begun).toBe(3);
  await eventually(async () => (await openUploads()).length === 0, "every upload to be given up");
  expect(await store.exists("uploads/demo/refused")).toBe(false);
});

test("an upload that succeeds at the second attempt is whole, and leaves no multipart upload open", async () => {
  let refused = false;
  judge = (asked) => {
    if (refused || !isPart(asked, 3)) return "pass";
    refused = true;
    return "refuse";
  };
  await put("uploads/demo/again");
  expect(refused).toBe(true);
  await eventually(async () => (await openUploads()).length === 0, "the first upload to be given up");
  await store.fetch("uploads/demo/again", join(folder, "back"));
  expect((await readFile(join(folder, "back"))).equals(await readFile(path))).toBe(true);
});

test("an upload whose completion was answered, but the answer lost, is whole and leaves no multipart upload open", async () => {
  let lost = 0;
  judge = (asked) => {
    if (asked.method !== "POST" || !(asked.url ?? "").includes("uploadId=") || ++lost > 1) return "pass";
    return "lose";
  };
  await put("uploads/demo/unheard");
  expect(lost).toBe(2);
  await eventually(async () => (await openUploads()).length === 0, "the first upload to be given up");
  await store.fetch("uploads/demo/unheard", join(folder, "back"));
  expect((await readFile(join(folder, "back"))).equals(await readFile(path))).toBe(true);
});

test("an upload does not abort another process's open upload of the same key", async () => {
  const others = await client.initiateNewMultipartUpload(s3.options.bucket, "uploads/demo/shared", {});
  await put("uploads/demo/shared");
  expect((await openUploads()).map(({ uploadId }) => uploadId)).toEqual([others]);
  await client.abortMultipartUpload(s3.options.bucket, "uploads/demo/shared", others);
  await store.fetch("uploads/demo/shared", join(folder, "back"));
  expect((await readFile(join(folder, "back"))).equals(await readFile(path))).toBe(true);
});
