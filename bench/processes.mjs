// What a process has cost so far, from /proc: processor time, and memory, of which its own and that of mapped files are told apart.
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const TICK_US = 10_000;

function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** Microseconds of processor time, including that of its ended children; 0 once it has ended itself. */
export function cpuOf(pid) {
  const fields = statOf(pid);
  return fields === undefined ? 0 : [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * TICK_US;
}

/** What /proc says of a process after its name. */
function statOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

const parentOf = (pid) => Number(statOf(pid)?.[1]);

/** Megabytes. */
export function memoryOf(pid) {
  const status = read(`/proc/${pid}/status`) ?? "";
  const megabytes = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024);
  return { peak: megabytes("VmHWM"), anon: megabytes("RssAnon"), file: megabytes("RssFile"), shared: megabytes("RssShmem") };
}

/** Lets the peak begin again at what the process uses now. */
export function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // another user's process (Postgres), or no such file on this system: then the peak is that since the process began
  }
}

export function descendants(root) {
  const children = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(pid);
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  const found = [];
  const visit = (pid) => {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      visit(child);
    }
  };
  visit(root);
  return found;
}

export const commandOf = (pid) => (read(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ").trim();

/** For `watch`, beside requests: reading /proc costs more than they do. */
export const onlyAtTheEnd = 3_600_000;

/**
 * Watches named groups of processes, `{ worker: () => [pids] }`, until `end()`, which answers per group: processor time in
 * microseconds, and the largest peak of any one process with what it was made of.
 */
export function watch(groups, everyMs = 200) {
  const seen = new Map(Object.keys(groups).map((name) => [name, { before: new Map(), peak: 0, anon: 0, file: 0, shared: 0 }]));
  const latest = new Map();
  const parents = new Map();
  const look = (first) => {
    for (const [name, pidsOf] of Object.entries(groups)) {
      const group = seen.get(name);
      for (const pid of pidsOf()) {
        if (first) forgetPeak(pid);
        const cpu = cpuOf(pid);
        if (!group.before.has(pid)) group.before.set(pid, first ? cpu : 0);
        latest.set(pid, cpu);
        if (!parents.has(pid)) parents.set(pid, parentOf(pid));
        const { peak, anon, file, shared } = memoryOf(pid);
        group.peak = Math.max(group.peak, peak);
        group.anon = Math.max(group.anon, anon);
        group.file = Math.max(group.file, file);
        group.shared = Math.max(group.shared, shared);
      }
    }
  };
  look(true);
  const timer = setInterval(() => look(false), everyMs);
  return {
    end() {
      clearInterval(timer);
      look(false);
      return Object.fromEntries(
        [...seen].map(([name, { before, peak, anon, file, shared }]) => {
          // All the time of an ended child is its parent's now, also what it took before.
          const isParents = (pid) => before.has(parents.get(pid)) && parentOf(pid) !== parents.get(pid);
          const cpuUs = [...before].reduce((sum, [pid, from]) => sum + (isParents(pid) ? 0 : latest.get(pid)) - from, 0);
          return [name, { cpuUs, peakMb: peak, anonMb: anon, fileMb: file, sharedMb: shared }];
        }),
      );
    },
  };
}

const running = new Set();

/** A temporary folder that goes with the benchmark, however that ends. */
export function benchFolder(prefix = "waybill-bench-") {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  endOnSignal();
  return folder;
}

/** An interrupted benchmark ends the processes it started, and then itself. */
export function endedWithUs(child) {
  endOnSignal();
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

let endsOnSignal = false;

function endOnSignal() {
  if (endsOnSignal) return;
  endsOnSignal = true;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void endAll(128 + constants.signals[signal]));
}

async function endAll(code) {
  const ended = [...running].map((child) => {
    child.kill("SIGTERM");
    return once(child, "exit");
  });
  await Promise.all(ended);
  process.exit(code);
}
