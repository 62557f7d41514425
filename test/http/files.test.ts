import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFileObjectStore, type FileObjectStore } from "../../src/adapters/objectStore/fileObjectStore.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres.js";
import { createShell } from "../support/shell.js";

let database: TestDatabase;
let folder: string;
let store: FileObjectStore;
let app: ReturnType<typeof createShell>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "waybill-files-"));
  store = createFileObjectStore({ folder, publicUrl: "http://127.0.0.1", signingSecret: "secret" });
  app = createShell(database.pool, { deps: { objectStore: store, openLink: store.openLink } });
  await writeFile(join(folder, "a"), "the report");
  await store.put("reports/a.xlsx", join(folder, "a"), { contentType: "x" });
});
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

const link = (options: { key?: string; expiresInSeconds?: number; name?: string } = {}) =>
  store.link(options.key ?? "reports/a.xlsx", {
    downloadName: options.name ?? "rejected rows.xlsx",
    expiresInSeconds: options.expiresInSeconds ?? 3600,
    now: new Date(),
  });

test("a signed link serves its file without a key, under the name it was given", async () => {
  const response = await app.request(await link({ name: 'rows "é"\r\n.xlsx' }));
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("the report");
  expect(response.headers.get("content-length")).toBe("10");
  expect(response.headers.get("content-type")).toContain("spreadsheetml");
  expect(response.headers.get("content-disposition")).toBe(
    `attachment; filename="rows _____.xlsx"; filename*=UTF-8''rows%20%22%C3%A9%22%0D%0A.xlsx`,
  );
});

test("an expired link is 403", async () => {
  expect((await app.request(await link({ expiresInSeconds: -1 }))).status).toBe(403);
});

test.each([
  ["another file", (url: string) => url.replace("reports/a", "reports/b")],
  ["a later expiry", (url: string) => url.replace(/expires=(\d)/, "expires=9$1")],
  ["another name", (url: string) => url.replace("name=r", "name=s")],
  ["another signature", (url: string) => url.replace(/signature=.*/, "signature=abc")],
  ["no signature", (url: string) => url.replace(/\?.*/, "")],
])("a link changed to %s is 403", async (_, change) => {
  const genuine = await link();
  const changed = change(genuine);
  expect(changed).not.toBe(genuine);
  const response = await app.request(changed);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ statusCode: response.status });
});

test("a link that climbs out of the files leads nowhere", async () => {
  const response = await app.request((await link()).replace("reports/a", "reports/%2e%2e/%2e%2e/a"));
  expect(response.status).toBe(404);
});

test("a genuine link to a file that is gone is 404", async () => {
  expect((await app.request(await link({ key: "reports/gone.xlsx" }))).status).toBe(404);
});
