// A supervisor that is killed with kill -9 cannot stop its processes: each of them has to see that it is gone, also while it is starting.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createMachine, everythingOn, kill, type Machine, type Product, program, until } from "../support/processes.js";

const nowhere = { DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/none", EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false" };

test.each([["api"], ["worker"], ["projector"], ["eventstore", "--port", "0", "--data"]])(
  "%s ends when the process that started it is gone before it has loaded",
  async (...args) => {
    const folder = await mkdtemp(join(tmpdir(), "waybill-test-orphan-"));
    const child = fork(program, args.at(-1) === "--data" ? [...args, folder] : args, {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { ...process.env, ...nowhere, DATA_DIR: folder, SIGNING_SECRET: "x".repeat(32) },
    });
    try {
      child.disconnect();
      expect(await once(child, "exit")).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  },
);

const long = process.env["WAYBILL_LONG"] !== undefined;

test.skipIf(!existsSync("/proc/self/environ"))(
  "a first start that is killed while the database is made leaves nothing, and the next one makes it; nothing outlives a start that is killed",
  async () => {
    const machine = await createMachine();
    const start = () => spawn(process.execPath, [program, "start"], { env: machine.environment, stdio: "ignore", detached: true });
    const ended = async () => (await everythingOn(machine.dataDir)).size === 0;
    try {
      const postgres = join(machine.dataDir, "postgres");
      /** Kills a first start as soon as there is something of a database. False where we came too late: it was made already. */
      const killedInTheMiddle = async () => {
        const first = start();
        let names: string[] = [];
        await until("there is something of a database", async () => {
          names = await readdir(postgres).catch(() => []);
          return names.some((name) => name.startsWith("data"));
        });
        first.kill("SIGKILL");
        await until("everything has ended", ended);
        return names.some((name) => name.startsWith("data.new"));
      };
      for (let tries = 1; !(await killedInTheMiddle()); tries += 1) {
        if (tries === 5) throw new Error("no start was caught while it made the database");
        for (const name of await readdir(machine.dataDir)) await rm(join(machine.dataDir, name), { recursive: true, force: true });
      }

      const startMs = await timeOfStart(machine, async (supervisor) => {
        supervisor.signal("SIGKILL");
        await until("everything has ended after a kill of the supervisor alone", ended);
      });
      expect((await readdir(postgres)).filter((name) => name.startsWith("data"))).toEqual(["data"]);
      const moments = long ? 40 : 2;
      for (let moment = 1; moment <= moments; moment += 1) {
        const supervisor = start();
        await pause((startMs * moment) / moments);
        supervisor.kill("SIGKILL");
        await until(`everything has ended after ${moment}/${moments} of a start`, ended);
      }
    } finally {
      for (const pid of (await everythingOn(machine.dataDir)).keys()) kill(pid, "SIGKILL");
      await machine.clear();
    }
  },
);

/** The first one makes the database, which takes as long again. `end` ends what was started. */
async function timeOfStart(machine: Machine, end: (started: Product) => Promise<void>): Promise<number> {
  let took = 0;
  for (let start = 1; start <= (long ? 2 : 1); start += 1) {
    const began = Date.now();
    const product = await machine.start();
    took = Date.now() - began;
    await end(product);
  }
  return long ? took : took * 0.6;
}
