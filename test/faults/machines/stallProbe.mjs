// Loaded before the program: prints every half second for how long in all the process was ready to run but got no processor.
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const tickMs = 10;

if (isMainThread) {
  let stalledMs = 0;
  let last = performance.now();
  let used = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    // The process's own computing time is not a stall.
    stalledMs += Math.max(0, performance.now() - last - 2 * tickMs - (user + system) / 1000);
    last = performance.now();
    used = process.cpuUsage();
  }, tickMs).unref();
  setInterval(() => process.stdout.write(`${JSON.stringify({ stalledMs: Math.round(stalledMs) })}\n`), 500).unref();
}
