import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { isAlive } from "../../src/embedded/processes.js";
import { useCommandLine } from "../support/commandLine.js";
import { createMachine, kill, type Machine, type Product, until, waybill } from "../support/processes.js";
import { largeUploads } from "./largeUploads.js";

vi.setConfig({ testTimeout: 180_000 }); // a start is seconds, but the machine may be busy with other tests

// All tests share one machine: each goes on from the state that the previous one left.
let machine: Machine;
let product: Product;
let key = "";
const command = useCommandLine();

beforeAll(async () => {
  machine = await createMachine();
});
afterAll(() => machine?.clear());

const ask = async (path: string, apiKey?: string) => {
  const response = await fetch(`${machine.url}${path}`, apiKey ? { headers: { "x-api-key": apiKey } } : {});
  await response.text();
  return response.status;
};
const unknownImport = "/v1/org/shipments/imports/0190a000-0000-7000-8000-000000000000";
const keyWorks = async (apiKey: string) => (await ask(unknownImport, apiKey)) === 404;
const pidOf = async (role: string) =>
  [...(await machine.processes())].find(([, command]) => command.trimEnd().endsWith(`cli.js ${role}`))?.[0] ?? 0;
const portOpen = () =>
  new Promise<boolean>((settle) => {
    const socket = connect(Number(new URL(machine.url).port), "127.0.0.1");
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
    socket.unref();
  });

test("a first start prints the address, the demo organisation, its key and a curl command", async () => {
  product = await machine.start();
  key = /wb_live_[A-Za-z0-9]{36}/.exec(product.stdout())?.[0] ?? "";
  expect(product.stdout()).toContain(`ready at ${machine.url}`);
  expect(product.stdout()).toContain("Demo organisation: demo");
  expect(product.stdout()).toMatch(new RegExp(`curl -s ${machine.url}/v1/org/quote/getQuote -H 'x-api-key: ${key}'`));
  expect(product.stdout().match(/wb_live_/g)).toHaveLength(2);
  expect(product.stderr()).not.toContain(key);
  expect(await keyWorks(key)).toBe(true);
  expect(await ask("/readyz")).toBe(200);
  expect(
    [...(await machine.processes()).values()].map((command) => /cli\.js (\w+)|postgres/.exec(command)?.[1] ?? "postgres").sort(),
  ).toEqual(["api", "eventstore", "postgres", "projector", "worker"]);
});

test.skipIf(process.platform !== "linux")(
  "eight files of 50 MB at once take the API less than a quarter of their size, and it goes on answering",
  async () => {
    const uploads = largeUploads({ url: machine.url, key, api: await pidOf("api") });
    expect((await uploads.send(1024)).status).toBe(202); // starts the thread that reads headers, which is not part of what a file costs
    const before = await uploads.peakMegabytes();
    let sending = true;
    let answeredMeanwhile = 0;
    const asking = (async () => {
      while (sending) if ((await fetch(`${machine.url}/healthz`)).status === 200) answeredMeanwhile += 1;
    })();
    const answers = await Promise.all(Array.from({ length: 8 }, () => uploads.send()));
    sending = false;
    await asking;
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect(answeredMeanwhile).toBeGreaterThan(1);
    // On an idle machine it is 35 to 50; more where garbage collection falls behind.
    expect((await uploads.peakMegabytes()) - before).toBeLessThan((8 * 50) / 4);
    for (const { importId } of answers) await uploads.cancel(importId); // importing 400 MB is not part of this test
  },
);

test("the printed link of the demo organisation's admin leads to choosing a password, and from there to Overview", async () => {
  const link = /\S+\/portal\/join\/[\w-]{43}$/m.exec(product.stdout())?.[0] ?? "";
  expect(link.startsWith(`${machine.url}/portal/join/`)).toBe(true);
  expect(product.stderr()).not.toContain(link.slice(-43));
  expect(await (await fetch(link)).text()).toContain("Choose a password");
  const joined = await fetch(link, {
    method: "POST",
    redirect: "manual",
    headers: { origin: machine.url, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ password: "seven lazy harbours" }),
  });
  expect(joined.status).toBe(303);
  const cookie =
    joined.headers
      .getSetCookie()
      .find((each) => each.startsWith("waybill="))
      ?.split(";")[0] ?? "";
  const overview = await fetch(new URL(joined.headers.get("location") ?? "", machine.url), { headers: { cookie } });
  expect([overview.status, overview.url]).toEqual([200, `${machine.url}/portal`]);
  expect(await overview.text()).toMatch(/<h1[^>]*>Overview/);
});

/** Ends a command with the test, where it has not ended by itself. */
const endWithTest = (child: ChildProcess) => onTestFinished(() => void child.kill("SIGKILL"));

test("a second start on the same data folder is refused, and so is a start on a taken port", async () => {
  const second = await waybill(["start"], machine.environment, endWithTest);
  expect(second.code).toBe(1);
  expect(second.stderr).toBe(
    `Waybill already runs on ${machine.dataDir} (process ${product.pid}). Stop it first, or set DATA_DIR to another folder.\n`,
  );
  const elsewhere = await createMachine({ PORT: machine.environment["PORT"] ?? "" });
  try {
    const taken = await waybill(["start"], elsewhere.environment, endWithTest);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(
      `Port ${machine.environment["PORT"]} on 127.0.0.1 is in use. Stop what is using it, or set PORT to another number.`,
    );
    expect(await elsewhere.processes()).toEqual(new Map());
  } finally {
    await elsewhere.clear();
  }
});

test("commands beside a running start see and change the same data at once", async () => {
  const listed = await command(["org", "list", "--json"], machine.environment);
  expect(JSON.parse(listed.stdout)).toEqual([expect.objectContaining({ id: "demo", catalogueVersion: 1 })]);
  const made = await command(["keys", "create", "--org", "demo", "--name", "script"], machine.environment);
  expect(made).toEqual({ code: 0, stdout: expect.stringMatching(/^wb_live_[A-Za-z0-9]{36}\n$/), stderr: "" });
  const second = made.stdout.trim();
  expect(await keyWorks(second)).toBe(true);
  expect((await command(["keys", "revoke", second.slice(0, 12), "--org", "demo"], machine.environment)).code).toBe(0);
  expect(await ask(unknownImport, second)).toBe(401);
  expect(await keyWorks(key)).toBe(true);
});

test("the roles use the database by its socket file", async () => {
  const { databaseUrl } = JSON.parse(await readFile(join(machine.dataDir, "runtime.json"), "utf8")) as { databaseUrl: string };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query("select distinct client_addr from pg_stat_activity where datname = current_database()");
    expect(rows).toEqual([{ client_addr: null }]);
  } finally {
    await client.end();
  }
});

test("the event store answers only calls with the credentials in runtime.json", async () => {
  const path = join(machine.dataDir, "runtime.json");
  const { eventStoreUrl } = JSON.parse(await readFile(path, "utf8")) as { eventStoreUrl: string };
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const first = async (address: string) => {
    const client = EventStoreDBClient.connectionString(address);
    const forged = jsonEvent({ type: "ApiKeyCreated", data: {} });
    try {
      for await (const { event } of client.readStream("organisation-demo", { maxCount: 1 })) return event?.type;
      return undefined;
    } catch (error) {
      await expect(client.appendToStream("organisation-demo", forged)).rejects.toMatchObject({ type: "access-denied" });
      return (error as { type?: string }).type;
    } finally {
      await client.dispose();
    }
  };
  expect(await first(eventStoreUrl)).toMatch(/^Catalogue/);
  const port = /:(\d+)\?/.exec(eventStoreUrl)?.[1];
  expect(await first(`esdb://127.0.0.1:${port}?tls=false`)).toBe("access-denied");
  const secret = /waybill:([\w-]+)@/.exec(eventStoreUrl)?.[1] ?? "none";
  expect(secret.length).toBeGreaterThan(40);
  expect(product.stderr()).not.toContain(secret);
  expect([...(await machine.processes()).values()].filter((command) => command.includes(secret))).toEqual([]);
});

test.each(["api", "worker", "projector", "eventstore"])("a killed %s is started again, with the reason logged", async (role) => {
  const before = await pidOf(role === "eventstore" ? "eventstore" : role).then(async (pid) => pid || (await eventStorePid()));
  expect(before).toBeGreaterThan(0);
  kill(before, "SIGKILL");
  const now = () => (role === "eventstore" ? eventStorePid() : pidOf(role));
  await until(`another ${role} runs`, async () => ![0, before].includes(await now()));
  const said = new RegExp(`ended by SIGKILL.*${role} ended by itself, starting it again`);
  await until("the reason is logged", async () => said.test(product.stderr()));
  await until("it is ready again", async () => (await ask("/readyz").catch(() => 0)) === 200);
  expect(await keyWorks(key)).toBe(true);
});

test("a crashed Postgres comes back at the same address", async () => {
  const [postmaster] = [...(await machine.processes())].find(([, command]) => command.includes("postgres -D")) ?? [0];
  kill(postmaster, "SIGKILL");
  await until("it is ready again", async () => !isAlive(postmaster) && (await ask("/readyz").catch(() => 0)) === 200);
  expect(await keyWorks(key)).toBe(true);
});

test("after kill -9 of the supervisor, with all else frozen, the next start comes up, keeps the data and does not print the key again", async () => {
  const left = [...(await machine.processes()).keys()];
  for (const pid of left) kill(pid, "SIGSTOP");
  product.signal("SIGKILL");
  await product.exited;
  product = await machine.start();
  expect(left.filter(isAlive)).toEqual([]);
  expect(product.stdout()).not.toContain("wb_live_");
  expect(product.stdout()).toContain("keys create --org demo");
  expect(await keyWorks(key)).toBe(true);
});

test("Ctrl-C, which reaches the terminal's whole process group, ends everything with exit code 0, leaving no process, port or lock", async () => {
  const running = [...(await machine.processes()).keys()];
  process.kill(-product.pid, "SIGINT");
  expect(await product.exited).toBe(0);
  expect(running.filter(isAlive)).toEqual([]);
  await product.silent;
  expect(product.stderr()).not.toContain("Warning"); // such as Node prints for what it takes for a leak
  expect(product.stderr()).not.toContain("ended by itself");
  expect(await portOpen()).toBe(false);
  for (const left of ["lock", "runtime.json", "postgres/data/postmaster.pid"]) expect(existsSync(join(machine.dataDir, left))).toBe(false);
});

test("commands work while no start is running, also two at once", async () => {
  const results = await Promise.all(
    ["one", "two"].map((name) => waybill(["keys", "create", "--org", "demo", "--name", name], machine.environment)),
  );
  expect(results.map(({ code }) => code)).toEqual([0, 0]);
  const { stdout } = await command(["keys", "list", "--org", "demo", "--json"], machine.environment);
  expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort()).toEqual(["demo", "one", "script", "two"]);
  expect(await machine.processes()).toEqual(new Map());
  expect(existsSync(join(machine.dataDir, "lock"))).toBe(false);
});

async function eventStorePid(): Promise<number> {
  return [...(await machine.processes())].find(([, command]) => command.includes("cli.js eventstore"))?.[0] ?? 0;
}
