import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentDisposition } from "../../../src/adapters/objectStore/objectKeys.js";
import { createS3ObjectStore } from "../../../src/adapters/objectStore/s3ObjectStore.js";
import { ObjectMissing, StoreUnavailable } from "../../../src/portErrors.js";
import type { ObjectStore } from "../../../src/ports/objectStore.js";
import { createTestObjectStore, startTestS3 } from "../../support/stores/stores.js";
import { startTcpProxy } from "../../support/stores/tcpProxy.js";

interface Subject {
  readonly store: ObjectStore;
  /** Follows a link without any key. */
  follow(link: string): Promise<{ status: number; text: string; disposition: string | null }>;
  close(): Promise<void>;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The API serves the embedded store's links. Here `follow` does the same. */
async function embedded(): Promise<Subject> {
  const { store, close } = await createTestObjectStore();
  const follow = async (link: string) => {
    const url = new URL(link);
    const param = (name: string) => url.searchParams.get(name) ?? "";
    const key = decodeURIComponent(url.pathname.replace(/^\/files\//, ""));
    const file = await store.openLink({ key, expires: param("expires"), name: param("name"), signature: param("signature") }, new Date());
    if (!file) return { status: 403, text: "", disposition: null };
    return { status: 200, text: await readFile(file.path, "utf8"), disposition: file.contentDisposition };
  };
  return { store, follow, close };
}

async function s3(): Promise<Subject> {
  const server = await startTestS3();
  const store = createS3ObjectStore(server.options);
  await store.prepare();
  const follow = async (link: string) => {
    const response = await fetch(link);
    return { status: response.status, text: await response.text(), disposition: response.headers.get("content-disposition") };
  };
  return {
    store,
    follow,
    close: async () => {
      store.close();
      await server.close();
    },
  };
}

describe.each([
  ["embedded", embedded],
  ["S3 through the minio client", s3],
])("%s", (_, open) => {
  let subject: Subject;
  let store: ObjectStore;
  let folder: string;
  const local = (name: string) => join(folder, name);
  const putText = async (key: string, text: string) => {
    await writeFile(local("source"), text);
    await store.put(key, local("source"), { contentType: "text/plain" });
  };
  const linkOptions = { downloadName: "Errors of March, 2nd try.xlsx", expiresInSeconds: 60 };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "waybill-test-contract-"));
    subject = await open();
    store = subject.store;
  });
  afterAll(async () => {
    await subject?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("a new store holds no object", async () => {
    expect(await store.exists("uploads/demo/none")).toBe(false);
    expect(await all(store.list("uploads/"))).toEqual([]);
  });

  test("an object comes back byte for byte", async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) % 256));
    await writeFile(local("bytes"), bytes);
    await store.put("uploads/demo/bytes", local("bytes"), { contentType: "application/octet-stream" });
    await store.fetch("uploads/demo/bytes", local("back"));
    expect(await store.read("uploads/demo/bytes")).toEqual(await readFile(local("back")));
    expect((await readFile(local("back"))).equals(bytes)).toBe(true);
  });

  test("an object of many megabytes comes back byte for byte", async () => {
    const bytes = Buffer.alloc(17 * 1024 * 1024, "0123456789abcdefg");
    await writeFile(local("large"), bytes);
    await store.put("uploads/demo/large", local("large"), { contentType: "text/csv" });
    await store.fetch("uploads/demo/large", local("back"));
    expect((await readFile(local("back"))).equals(bytes)).toBe(true);
    await store.remove("uploads/demo/large");
  });

  test("an empty object comes back empty", async () => {
    await putText("uploads/demo/empty", "");
    await store.fetch("uploads/demo/empty", local("back"));
    expect(await readFile(local("back"), "utf8")).toBe("");
  });

  test("a later put replaces the object whole", async () => {
    await putText("reports/again.xlsx", "a long first version");
    await putText("reports/again.xlsx", "second");
    await store.fetch("reports/again.xlsx", local("back"));
    expect(await readFile(local("back"), "utf8")).toBe("second");
  });

  test("fetching what is not there throws ObjectMissing", async () => {
    await expect(store.fetch("uploads/demo/none", local("none"))).rejects.toBeInstanceOf(ObjectMissing);
    await expect(store.read("uploads/demo/none")).rejects.toBeInstanceOf(ObjectMissing);
  });

  test("a removed object is gone, and removing it again throws nothing", async () => {
    await putText("uploads/demo/short-lived", "x");
    expect(await store.exists("uploads/demo/short-lived")).toBe(true);
    await store.remove("uploads/demo/short-lived");
    await store.remove("uploads/demo/short-lived");
    expect(await store.exists("uploads/demo/short-lived")).toBe(false);
  });

  test("a listing has the keys under a prefix with their size and age, and no others", async () => {
    const before = Date.now() - 5_000;
    for (const key of ["sweep/one/a", "sweep/one/b", "sweep/onetwo/c", "sweep/two/d"]) await putText(key, "four");
    const found = await all(store.list("sweep/one/"));
    expect(found.map(({ key, size }) => ({ key, size }))).toEqual([
      { key: "sweep/one/a", size: 4 },
      { key: "sweep/one/b", size: 4 },
    ]);
    expect(found.every(({ modifiedAt }) => modifiedAt.getTime() > before)).toBe(true);
    expect((await all(store.list("sweep/one"))).map(({ key }) => key)).toEqual(["sweep/one/a", "sweep/one/b", "sweep/onetwo/c"]);
  });

  test("keys that lead out of the store, or are malformed, are refused by put, fetch and link", async () => {
    await writeFile(local("source"), "x");
    for (const key of ["../outside", "/etc/passwd", "a/../../b", "a//b", ".hidden", "a\\..\\b", "a\0b", "", "x".repeat(600)]) {
      await expect(async () => store.put(key, local("source"), { contentType: "text/plain" })).rejects.toThrow("not a usable object key");
      await expect(async () => store.fetch(key, local("back"))).rejects.toThrow("not a usable object key");
      await expect(async () => store.link(key, { ...linkOptions, now: new Date() })).rejects.toThrow("not a usable object key");
    }
  });

  test("a link gives the object to any client, under its download name", async () => {
    await putText("reports/linked.xlsx", "the report");
    const answer = await subject.follow(await store.link("reports/linked.xlsx", { ...linkOptions, now: new Date() }));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("the report");
    expect(answer.disposition).toBe(contentDisposition(linkOptions.downloadName));
  });

  test("a link that has expired, or whose key, expiry, name or signature was changed, is answered 403", async () => {
    await putText("reports/linked.xlsx", "the report");
    await putText("reports/other.xlsx", "someone else's");
    const expired = await store.link("reports/linked.xlsx", { ...linkOptions, now: new Date(Date.now() - 61_000) });
    expect((await subject.follow(expired)).status).toBe(403);
    const link = await store.link("reports/linked.xlsx", { ...linkOptions, now: new Date() });
    const changed = [
      link.replace("linked.xlsx", "other.xlsx"),
      link.replace(/((?:X-Amz-)?(?:expires|Expires))=(\d+)/, (_, name, value) => `${name}=${Number(value) + 600}`),
      link.replace("March", "April"),
      link.replace(/([sS]ignature)=(.)/, (_, name, letter) => `${name}=${letter === "0" ? "1" : "0"}`),
    ];
    for (const forged of changed) {
      expect(forged).not.toBe(link);
      expect((await subject.follow(forged)).status).toBe(403);
    }
  });

  test("ping succeeds, and preparing the store again keeps its objects", async () => {
    await putText("uploads/demo/kept", "x");
    await store.prepare();
    await store.ping();
    expect(await store.exists("uploads/demo/kept")).toBe(true);
  });
});

test("a link is signed for the address at which clients reach the S3 store, where that is another than the service's own", async () => {
  const server = await startTestS3();
  const { address: publicEndpoint, stop } = await startTcpProxy(server.options.endpoint);
  const store = createS3ObjectStore({ ...server.options, publicEndpoint });
  try {
    await store.prepare();
    await store.put("reports/linked.xlsx", fileURLToPath(import.meta.url), { contentType: "text/plain" });
    const link = await store.link("reports/linked.xlsx", { downloadName: "a.xlsx", expiresInSeconds: 60, now: new Date() });
    expect(new URL(link).origin).toBe(publicEndpoint);
    expect((await fetch(link)).status).toBe(200);
    expect((await fetch(link.replace(publicEndpoint, server.options.endpoint))).status).toBe(403); // the address is part of what is signed
  } finally {
    store.close();
    await stop();
    await server.close();
  }
});

test("an S3 server that cannot be reached, or answers 503 three times, is an outage", async () => {
  const options = { accessKey: "a", secretKey: "b", bucket: "waybill", region: "us-east-1" };
  const nowhere = createS3ObjectStore({ ...options, endpoint: "http://127.0.0.1:1" });
  await expect(nowhere.exists("uploads/a")).rejects.toBeInstanceOf(StoreUnavailable);
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(503).end();
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  try {
    const failing = createS3ObjectStore({ ...options, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    await expect(failing.exists("uploads/a")).rejects.toBeInstanceOf(StoreUnavailable);
    expect(asked).toBe(3);
    failing.close();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a download name with non-ASCII letters, quotes, line breaks or slashes stays one file name", () => {
  expect(contentDisposition("report.xlsx")).toBe('attachment; filename="report.xlsx"');
  expect(contentDisposition('März "1".xlsx')).toBe("attachment; filename=\"M_rz _1_.xlsx\"; filename*=UTF-8''M%C3%A4rz%20%221%22.xlsx");
  expect(contentDisposition("a\r\nset-cookie: b/../c")).toBe('attachment; filename="a__set-cookie: b_.._c"');
});
