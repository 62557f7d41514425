// Uploads that fail on the way.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createS3ObjectStore } from "../../../src/adapters/objectStore/s3ObjectStore.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
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
let path: string;

beforeAll(async () => {
  s3 = await startTestS3();
  folder = await mkdtemp(join(tmpdir(), "waybill-test-uploads-"));
  await new Promise<void>((settle) => inFront.listen(0, "127.0.0.1", settle));
  store = createS3ObjectStore({ ...s3.options, endpoint: `http://127.0.0.1:${(inFront.address() as AddressInfo).port}` });
  await store.prepare();
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

const put = (key: string) => store.put(key, path, { contentType: "text/csv" });
const isPut = ({ method }: IncomingMessage) => method === "PUT";

test("an upload that is refused every time fails, and nothing of it is stored", async () => {
  let refused = 0;
  judge = (asked) => {
    if (!isPut(asked)) return "pass";
    refused += 1;
    return "refuse";
  };
  await expect(put("uploads/demo/refused")).rejects.toBeInstanceOf(StoreUnavailable);
  expect(refused).toBe(3);
  expect(await store.exists("uploads/demo/refused")).toBe(false);
});

test.each(["refuse", "lose"] as const)(
  "an upload whose first answer is: %s, succeeds at the second attempt and is whole",
  async (first) => {
    let sent = 0;
    judge = (asked) => (isPut(asked) && ++sent === 1 ? first : "pass");
    await put(`uploads/demo/${first}`);
    expect(sent).toBe(2);
    await store.fetch(`uploads/demo/${first}`, join(folder, "back"));
    expect((await readFile(join(folder, "back"))).equals(await readFile(path))).toBe(true);
  },
);
