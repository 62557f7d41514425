// Loaded before anything else: on SIGUSR2 this process collects its garbage and writes down what is left.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

function weigh() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  collect(); // what the first one only queued for finalisation is gone after the second
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(join(process.env.MEMORY_PROBE_FOLDER, String(process.pid)), JSON.stringify({ heapUsed, external }));
}

if (isMainThread && process.env.MEMORY_PROBE_FOLDER) process.on("SIGUSR2", weigh);
