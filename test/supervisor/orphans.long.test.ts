// A supervisor that is killed with kill -9 cannot stop its processes: each must notice by itself that the supervisor is gone, also while starting.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createMachine, everythingOn, kill, type Machine, type Product, program, until } from "../support/processes.js";

const nowhere = { DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/none", EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false" };

test.each([["api"], ["worker"], ["projector"], ["eventstore", "--port", "0", "--data"]])(
  "%s ends when its parent process goes away while it is still loading",
  async (...args) => {
    const folder = await mkdtemp(join(tmpdir(), "waybill-test-orphan-"));
    const child = fork(program, args.at(-1) === "--data" ? [...args, folder] : args, {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { ...process.env, ...nowhere, DATA_DIR: folder, SIGNING_SECRET: "x".repeat(32) },
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    });
    child.disconnect();
    expect(await once(child, "exit")).toEqual([0, null]);
  },
);

const long = process.env["WAYBILL_LONG"] !== undefined;

test.skipIf(!existsSync("/proc/self/environ"))(
  "a first start that is killed while it creates the database leaves no process, and the next one creates it; no process outlives a killed start",
  async () => {
    const machine = await createMachine();
    const start = () => spawn(process.execPath, [program, "start"], { env: machine.environment, stdio: "ignore", detached: true });
    const ended = async () => (await everythingOn(machine.dataDir)).size === 0;
    try {
      const postgres = join(machine.dataDir, "postgres");
      /** Kills a first start as soon as the database's folder appears. False when that was too late: the database was complete. */
      const killedInTheMiddle = async () => {
        const first = start();
        let names: string[] = [];
        await until("the database's folder appears", async () => {
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

/** Milliseconds that a start takes. The first one also creates the database, which takes as long again. `end` ends the started product. */
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
