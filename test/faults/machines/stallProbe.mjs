// Loaded before anything else: says every half second for how long, in all, this process was ready to run and was not let.
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const tickMs = 10;

if (isMainThread) {
  let stalledMs = 0;
  let last = performance.now();
  let used = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    // What it computed itself in that time does not count as a stall.
    stalledMs += Math.max(0, performance.now() - last - 2 * tickMs - (user + system) / 1000);
    last = performance.now();
    used = process.cpuUsage();
  }, tickMs).unref();
  setInterval(() => process.stdout.write(`${JSON.stringify({ stalledMs: Math.round(stalledMs) })}\n`), 500).unref();
}
