import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../src/embedded/processes.js";
import { until } from "../support/processes.js";

const processes = new URL("../../bench/processes.mjs", import.meta.url).href;
const root = fileURLToPath(new URL("../..", import.meta.url));
const programOf = (children: number) => `
  import { spawn } from "node:child_process";
  import { benchFolder, endedWithUs } from ${JSON.stringify(processes)};
  const folder = benchFolder();
  const sleep = () => endedWithUs(spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]));
  const pids = Array.from({ length: ${children} }, () => sleep().pid);
  console.log(JSON.stringify({ folder, pids }));
  setInterval(() => undefined, 1000);`;

test.each([
  ["SIGINT", 2, 130],
  ["SIGTERM", 1, 143],
  ["SIGTERM", 0, 143],
  ["SIGHUP", 1, 129],
] as const)("a benchmark that %s stops while it has %i processes ends them, and leaves no folder", async (signal, children, code) => {
  const bench = spawn(process.execPath, ["--input-type=module", "-e", programOf(children)], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void bench.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: bench.stdout }), "line")) as [string];
  const { folder, pids } = JSON.parse(line) as { folder: string; pids: number[] };
  expect([existsSync(folder), pids.length]).toEqual([true, children]);
  bench.kill(signal);
  expect(await once(bench, "exit")).toEqual([code, null]);
  expect(existsSync(folder)).toBe(false);
  await until("its processes are gone", async () => !pids.some((pid) => isAlive(pid)));
});
