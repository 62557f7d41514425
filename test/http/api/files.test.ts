import { once } from "node:events";
import { mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createFileObjectStore, type FileObjectStore } from "../../../src/adapters/objectStore/fileObjectStore.js";
import { createShell, shellDeps } from "../../support/shell.js";
import { startApi } from "../../support/startApi.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

let database: TestDatabase;
let folder: string;
let store: FileObjectStore;
let app: ReturnType<typeof createShell>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "waybill-files-"));
  store = createFileObjectStore({ folder, publicUrl: "http://127.0.0.1", signingSecret: "secret" });
  app = createShell(database.pool, { deps: { objectStore: store } });
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
    `attachment; filename="rows _____.xlsx"; filename*=UTF-8''rows%20%22%C3%A9%22__.xlsx`,
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

test("a link with .. in its path is a 404", async () => {
  const response = await app.request((await link()).replace("reports/a", "reports/%2e%2e/%2e%2e/a"));
  expect(response.status).toBe(404);
});

test("a genuine link to a file that is gone is 404", async () => {
  expect((await app.request(await link({ key: "reports/gone.xlsx" }))).status).toBe(404);
});

test("a link is answered in time when the database does not answer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const frozen = { query: () => new Promise(() => undefined) } as unknown as pg.Pool;
    const answer = createShell(frozen, { deps: { objectStore: store } }).request(await link());
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await answer).status).toBe(503);
  } finally {
    vi.useRealTimers();
  }
});

test.runIf(process.platform === "linux")("downloads whose client disconnects leave no file open", async () => {
  await writeFile(join(folder, "large"), Buffer.alloc(20_000_000));
  await store.put("reports/large.xlsx", join(folder, "large"), { contentType: "x" });
  const deps = shellDeps(database.pool, { deps: { objectStore: store } });
  const api = await startApi({ deps, host: "127.0.0.1", port: 0, logger: pino({ level: "silent" }) });
  onTestFinished(api.stop);
  const { pathname, search } = new URL(await link({ key: "reports/large.xlsx" }));
  const breakOff = async (index: number) => {
    const socket = connect(api.port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(1 + (index % 3)));
    if (index % 2 === 0) await once(socket, "data");
    else await new Promise(setImmediate); // most requests are not answered yet
    socket.resetAndDestroy();
  };
  await Promise.all(Array.from({ length: 100 }, (_, index) => breakOff(index)));
  await expect.poll(async () => [api.countRunning(), await openFiles(folder)]).toEqual([0, []]);
});

async function openFiles(under: string): Promise<string[]> {
  const links = await Promise.all((await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  return links.filter((path) => path.startsWith(under));
}
