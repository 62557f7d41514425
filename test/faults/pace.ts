// Helpers for the large numbers of the long forms: many calls at once without batches, and lines about the progress.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { long } from "./scale.js";

/** Calls `work` `count` times, up to `atOnce` calls at a time. The calls begin one after the other, so that their random draws are repeatable. */
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

/** In the long form prints the progress and the time taken, after each tenth of `count`. Call the returned function with the number done. */
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

/** Checks that the heap does not grow after the first tenth of the calls, which compiles code and fills caches and pools. */
export async function withoutGrowth(count: number, work: (count: number) => Promise<void>): Promise<void> {
  await work(Math.ceil(count / 10));
  const before = heapAfterCollection();
  await work(count - Math.ceil(count / 10));
  expect((heapAfterCollection() - before) / 1_048_576, "megabytes kept").toBeLessThan(48);
}
