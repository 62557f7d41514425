import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { demoOrganisation } from "../../src/demo/demoOrganisation.js";
import { useCommandLine } from "../support/commandLine.js";
import { freePort, program, until, waybill } from "../support/processes.js";
import { startTestEventStore } from "../support/stores/eventStore.js";
import { createTestDatabase } from "../support/stores/postgres.js";
import { s3Variables, startTestS3 } from "../support/stores/stores.js";
import { type ProxyBehaviour, startTcpProxy, type TcpProxy } from "../support/stores/tcpProxy.js";

vi.setConfig({ testTimeout: 180_000 });

const closing: (() => Promise<unknown>)[] = [];
const children: ChildProcess[] = [];
const command = useCommandLine();
let folder: string;
let environment: Record<string, string>;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-test-real-"));
  const port = await freePort();
  const database = await createTestDatabase({ empty: true });
  closing.push(() => database.close());
  const eventStore = await startTestEventStore();
  closing.push(() => eventStore.stop());
  const s3 = await startTestS3();
  closing.push(() => s3.close());
  url = `http://127.0.0.1:${port}`;
  environment = {
    PORT: String(port),
    DATA_DIR: join(folder, "data"),
    DATABASE_URL: database.url,
    EVENTSTORE_URL: eventStore.address,
    ...s3Variables(s3.options),
    SIGNING_SECRET: "a secret of at least thirty-two characters",
    LOG_LEVEL: "warn",
  };
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const close of closing) await close();
  await rm(folder, { recursive: true, force: true });
});

function startRole(role: string, changes: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [program, role], {
    env: { ...process.env, ...environment, ...changes },
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  return child;
}

/** Ends a command with the test, where it has not ended by itself. */
const endWithTest = (child: ChildProcess) => onTestFinished(() => void child.kill("SIGKILL"));

test.each([
  ["a wrong secret", { S3_SECRET_KEY: "wrong" }, "cannot be used: SignatureDoesNotMatch: "],
  ["a dead address", { S3_ENDPOINT: "http://127.0.0.1:1" }, "is not available: connect ECONNREFUSED 127.0.0.1:1\n"],
])("a start with %s for its S3 ends with one line that names endpoint and bucket", async (_, changes, said) => {
  const { code, stderr } = await waybill(["start"], { ...environment, ...changes }, endWithTest);
  expect(code).toBe(1);
  const { S3_ENDPOINT, S3_BUCKET } = { ...environment, ...changes } as Record<string, string>;
  expect(stderr.startsWith(`The object store at ${S3_ENDPOINT} (bucket ${S3_BUCKET}) ${said}`)).toBe(true);
  expect(stderr.match(/\n/g)).toHaveLength(1);
});

test("a start whose event store does not answer says so and ends", async () => {
  const { code, stderr } = await waybill(["start"], { ...environment, EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false" }, endWithTest);
  expect(code).toBe(1);
  expect(stderr).toBe("The event store is not available: reading the end of the log: connect ECONNREFUSED 127.0.0.1:1\n");
});

test.each(["api", "worker"])("the %s role with a wrong secret for its S3 ends and says so", async (role) => {
  const { code, stderr } = await waybill([role], { ...environment, S3_SECRET_KEY: "wrong" }, endWithTest);
  expect(code).toBe(1);
  expect(stderr.trimEnd().split("\n").at(-1)).toContain(`The object store at ${environment["S3_ENDPOINT"]} (bucket`);
});

describe("an API whose database and event store do not answer yet", () => {
  const begin = async (behaviour: ProxyBehaviour) => {
    const proxies = await Promise.all(["DATABASE_URL", "EVENTSTORE_URL"].map((name) => startTcpProxy(environment[name] ?? "")));
    const [database, events] = proxies as [TcpProxy, TcpProxy];
    for (const proxy of proxies) {
      onTestFinished(() => proxy.stop());
      proxy.set(behaviour);
    }
    const api = startRole("api", { DATABASE_URL: database.address, EVENTSTORE_URL: events.address, LOG_LEVEL: "fatal" });
    endWithTest(api);
    const exited = once(api, "exit");
    await until("it listens", async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200);
    return { api, exited, proxies, database };
  };

  test("is alive, answers everything else 503 with when to come back, and works as soon as they do", async () => {
    const { api, exited, proxies } = await begin({ kind: "refuse" });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    const waiting = await fetch(`${url}/v1/org/quote/getQuote`, { method: "POST", body: "{}" });
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(await waiting.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
    for (const proxy of proxies) proxy.set({ kind: "pass" });
    const projector = startRole("projector");
    endWithTest(projector);
    await until("it is ready", async () => (await fetch(`${url}/readyz`)).status === 200);
    expect((await fetch(`${url}/v1/org/quote/getQuote`, { method: "POST", body: "{}" })).status).toBe(401);
    projector.kill("SIGTERM");
    api.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  test.each(["refuse", "blackHole"] as const)("ends on SIGTERM with 0 while it waits for them: %s", async (kind) => {
    const { api, exited, database } = await begin({ kind });
    await until("it has tried", async () => database.connections() > 0);
    api.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });
});

test("roles started one by one on real addresses migrate, import, and link to the report in S3", async () => {
  const roles = ["api", "worker", "projector"].map((role) => startRole(role));
  await until("the API is ready", async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200);
  const file = join(folder, "demo.json");
  await writeFile(file, JSON.stringify(demoOrganisation));
  expect((await command(["org", "apply", file], environment)).code).toBe(0);
  const key = (await command(["keys", "create", "--org", "demo", "--name", "test"], environment)).stdout.trim();
  const headers = { "x-api-key": key };

  const form = new FormData();
  form.set(
    "file",
    new File(
      ["warehouseCode,chargeCode,quantity,activityTimestamp\nSYD1,PICK,3,2026-01-02T03:04:05Z\nSYD1,PICK,0,2026-01-02T03:04:05Z\n"],
      "activities.csv",
    ),
  );
  const accepted = await fetch(`${url}/v1/org/fulfilment/activities/file`, { method: "POST", headers, body: form });
  expect(accepted.status).toBe(202);
  const { statusUrl } = (await accepted.json()) as { statusUrl: string };
  const status = async () => (await (await fetch(`${url}${statusUrl}`, { headers })).json()) as Record<string, unknown>;
  await until("the import is completed", async () => (await status())["status"] === "completed");
  const done = await status();
  expect(done["counts"]).toEqual({ received: 2, processed: 1, failed: 1 });
  const link = String(done["errorReportUrl"]);
  expect(link.startsWith(environment["S3_ENDPOINT"] ?? "")).toBe(true);
  const report = await fetch(link);
  expect(report.status).toBe(200);
  expect(
    Buffer.from(await report.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe("PK");

  const exits = roles.map((role) => new Promise((settle) => role.once("exit", settle)));
  for (const role of roles) role.kill("SIGTERM");
  expect(await Promise.all(exits)).toEqual([0, 0, 0]);
  expect(await readdir(join(folder, "data")).catch(() => [])).toEqual([]); // with configured stores the data folder stays empty
});
