// How the long forms get through their numbers: many at once, none waiting for the slowest of a batch, and a line about the pace.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { long } from "./scale.js";

/** Calls `work` so many times, up to `atOnce` under way; each call begins, and draws what it draws, in turn. */
export async function manyAtOnce(count: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const line = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, line));
}

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Says in the long form how far it has come and how long that took: after each tenth, if it is told of each, and at the end. */
export function paceOf(what: string, count: number): (done?: number) => void {
  const [started, used] = [performance.now(), process.cpuUsage()];
  let tenths = 0;
  return (done = count) => {
    if (!long || Math.floor((done * 10) / count) <= tenths) return;
    tenths = Math.floor((done * 10) / count);
    const { user, system } = process.cpuUsage(used);
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stderr.write(`${done} ${what} in ${seconds} s, ${Math.round((user + system) / 1e6)} s of this process's own time\n`);
  };
}

/** The first tenth fills what is filled once: code, caches, pools. */
export async function withoutGrowth(count: number, work: (count: number) => Promise<void>): Promise<void> {
  await work(Math.ceil(count / 10));
  const before = heapAfterCollection();
  await work(count - Math.ceil(count / 10));
  expect((heapAfterCollection() - before) / 1_048_576, "megabytes kept").toBeLessThan(48);
}
