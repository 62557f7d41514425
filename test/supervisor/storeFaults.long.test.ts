// The supervisor when a store dies or hangs while it starts, runs or stops: it still starts and stops, and says what is wrong.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { takeFolder } from "../../src/embedded/dataFolder.js";
import { readPidFile } from "../../src/embedded/postgres/serverProcess.js";
import { namesBelow } from "../support/namesBelow.js";
import { createMachine, everythingOn, kill, type Machine, program, until, waybill } from "../support/processes.js";

// All tests share one data folder, which the last test removes. A start takes seconds: a test that sets `running` leaves its product to
// the next test.
let machine: Machine;
let running: ReturnType<typeof start> | undefined;
beforeAll(async () => {
  machine = await createMachine();
});
afterEach(async ({ task }) => {
  if (task.result?.state === "fail" || running === undefined) await endAll();
});
afterAll(() => machine.clear());

async function endAll(): Promise<void> {
  running = undefined;
  for (const pid of (await everythingOn(machine.dataDir)).keys()) kill(pid, "SIGKILL");
  await until("everything has ended", async () => (await everythingOn(machine.dataDir)).size === 0);
}

const start = () => {
  const child = spawn(process.execPath, [program, "start"], {
    env: { ...machine.environment, LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => {
    stdout += text;
  });
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const exited = once(child, "exit");
  const silent = once(child, "close"); // its whole output has been read
  const ready = () => until("the product is ready, or has ended", async () => stdout.includes("ready at") || child.exitCode !== null);
  return { child, exited, silent, ready, stdout: () => stdout, stderr: () => stderr };
};

/** The product that the previous test left running, or else a new one. It ends after this test unless the test sets `running` again. */
async function startedAndReady(): Promise<ReturnType<typeof start>> {
  const started = running ?? start();
  running = undefined;
  await started.ready();
  expect(started.child.exitCode).toBe(null);
  // The previous test may have killed a store after the product printed that it is ready.
  await until("it answers", async () => (await fetch(`${machine.url}/readyz`).catch(() => undefined))?.status === 200);
  return started;
}

const pidOf = async (part: string): Promise<number> =>
  [...(await everythingOn(machine.dataDir))].find(([, command]) => command.includes(part))?.[0] ?? 0;
const eventStore = () => pidOf("cli.js eventstore");
const postmaster = async () => (await readPidFile(join(machine.dataDir, "postgres", "data")))?.pid ?? 0;
const appears = (what: string, pid: () => Promise<number>) => until(`${what} is there`, async () => (await pid()) > 0);

async function stopsByItself({ child, exited }: ReturnType<typeof start>): Promise<void> {
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  await until("everything has ended", async () => (await everythingOn(machine.dataDir)).size === 0);
  await expect(fetch(machine.url)).rejects.toThrow();
  for (const left of ["lock", "runtime.json", "postgres/data/postmaster.pid"]) expect(existsSync(join(machine.dataDir, left))).toBe(false);
}

test.each(["start", "org list"])("%s ends on SIGINT while it waits for another command on the data folder", async (command) => {
  const lock = await takeFolder(machine.dataDir, "DATA_DIR", "command");
  onTestFinished(async () => {
    if ("release" in lock) await lock.release();
  });
  const child = spawn(process.execPath, [program, ...command.split(" ")], {
    env: { ...machine.environment, LOG_LEVEL: "info" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  await until("it waits", async () => said.includes("waiting for the process"));
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect(code).toBe(command === "start" ? 0 : 1);
  if (command !== "start") expect(said).toContain("It was stopped before it was done.\n");
});

test("a start whose configured database does not answer says so and ends", async () => {
  const outside = { DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/none", SIGNING_SECRET: "x".repeat(32) };
  const { code, stderr } = await waybill(["start"], { ...machine.environment, ...outside });
  expect(code).toBe(1);
  expect(stderr).toBe("The database is not available: connect ECONNREFUSED 127.0.0.1:1\n");
});

describe.skipIf(!existsSync("/proc/self/environ"))("a start", () => {
  test("whose event store dies while the database is made comes up", async () => {
    const started = start();
    await until("the event store is up", async () => started.stderr().includes("eventstore is up"));
    kill(await eventStore(), "SIGKILL");
    await until("the supervisor has seen it", async () => started.stderr().includes("eventstore ended by itself"));
    await started.ready();
    expect(started.stdout()).toContain("ready at");
    running = started;
  });

  test("records its processes in runtime.json again after that has failed once", async () => {
    const started = await startedAndReady();
    const recorded = async () => readFile(join(machine.dataDir, "runtime.json"), "utf8");
    const restart = async (role: string) => {
      const before = await pidOf(`cli.js ${role}`);
      kill(before, "SIGKILL");
      await until(`another ${role} is started`, async () => ![0, before].includes(await pidOf(`cli.js ${role}`)));
      return pidOf(`cli.js ${role}`);
    };
    const inTheWay = join(machine.dataDir, "runtime.json.new");
    await mkdir(inTheWay);
    try {
      await restart("projector");
      await until("the failure is logged", async () => started.stderr().includes("the runtime file could not be written"));
    } finally {
      await rmdir(inTheWay);
    }
    const worker = await restart("worker");
    await until("the worker is recorded", async () => (await recorded()).includes(`"${worker}-`));
    running = started;
  });

  test("stops although its event store, which was started again, hangs", async () => {
    const started = await startedAndReady();
    const before = await eventStore();
    kill(before, "SIGKILL");
    await until("another one is started", async () => ![0, before].includes(await eventStore()));
    kill(await eventStore(), "SIGSTOP");
    await stopsByItself(started);
  });

  test("whose database dies while the event store starts comes up, with its data", async () => {
    const second = start();
    await appears("the event store", eventStore);
    const frozen = await eventStore();
    kill(frozen, "SIGSTOP");
    await until("the database is up", async () => second.stderr().includes("postgres is up"));
    kill(await postmaster(), "SIGKILL");
    await until("the supervisor has seen it", async () => second.stderr().includes("postgres ended by itself"));
    kill(frozen, "SIGCONT");
    await second.ready();
    expect(second.stdout()).toContain("ready at");
    expect(second.stdout()).not.toContain("wb_live_"); // the demo organisation is there already
    running = second;
  });

  test("stops though the shell beside its database hangs, and first notes it in runtime.json; a role beside it ends at the next start", async () => {
    const first = await startedAndReady();
    const own = await pidOf("cli.js worker");
    const role = spawn(process.execPath, [program, "worker"], {
      env: { ...machine.environment, LOG_LEVEL: "info" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    role.stderr.on("data", (text) => {
      said += text;
    });
    const ended = once(role, "close");
    await until("the role is ready", async () => said.includes('"msg":"ready"'));
    const tmp = join(machine.dataDir, "tmp");
    await until("it is at work", async () => (await namesBelow(tmp)).some((name) => new RegExp(`/worker-.*-${role.pid}-`).test(name)));
    for (const [pid, command] of await everythingOn(machine.dataDir)) if (command.startsWith("sh -c")) kill(pid, "SIGSTOP");
    kill(own, "SIGSTOP"); // the supervisor waits for this worker, so that the test can look at runtime.json
    first.child.kill("SIGTERM");
    const runtime = join(machine.dataDir, "runtime.json");
    await until("runtime.json says so, and no command joins stores that are about to stop", async () =>
      (await readFile(runtime, "utf8")).includes('"stopping":true'),
    );
    expect(await postmaster()).toBeGreaterThan(0);
    kill(own, "SIGCONT");
    expect(await first.exited).toEqual([0, null]);
    await until("only the role is left", async () => [...(await everythingOn(machine.dataDir))].every(([pid]) => pid === role.pid));
    const second = start();
    await second.ready();
    expect(await ended).toEqual([1, null]);
    expect(said).toContain(`Another process has restarted the stores in ${machine.dataDir}. Start this role again.\n`);
    running = second;
  });

  // Waits twenty seconds for a server that does not answer, so it runs with WAYBILL_LONG only.
  test.skipIf(!process.env["WAYBILL_LONG"])("comes up where a killed start left a frozen database", async () => {
    await endAll(); // the product that the previous test left running
    const killed = start();
    await killed.ready();
    const database = await postmaster();
    for (const pid of [database, ...(await childrenOf(database))]) kill(pid, "SIGSTOP");
    killed.child.kill("SIGKILL");
    const next = start();
    await next.ready();
    expect(next.stdout()).toContain("ready at");
    await stopsByItself(next);
  });

  test("whose data folder is removed says so and ends with all its processes", async () => {
    const started = await startedAndReady();
    await rm(machine.dataDir, { recursive: true, force: true, maxRetries: 50 });
    expect(await started.exited).toEqual([1, null]);
    await started.silent;
    expect(started.stderr()).toContain(
      `${machine.dataDir} was removed, or another process has taken it. All roles and stores are stopped.`,
    );
    await until("everything has ended", async () => (await everythingOn(machine.dataDir)).size === 0);
  });
});

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map(async (pid) => [pid, await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")] as const));
  return stats.filter(([, stat]) => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent).map(([pid]) => Number(pid));
}
