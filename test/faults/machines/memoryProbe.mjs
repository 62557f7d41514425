// Loaded before the program: on SIGUSR2 the process collects garbage and writes its memory use to a file.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

function weigh() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  collect(); // objects that the first collection only queued for finalisation are gone after the second
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(join(process.env.MEMORY_PROBE_FOLDER, String(process.pid)), JSON.stringify({ heapUsed, external }));
}

if (isMainThread && process.env.MEMORY_PROBE_FOLDER) process.on("SIGUSR2", weigh);
