import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { lookUntilFound } from "../timeLimit.js";

const run = promisify(execFile);

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid);
}

/** A process that has ended accepts signals until its parent has collected its exit code. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

export async function commandLine(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
  } catch {
    return (await ps("command", pid)) ?? "";
  }
}

/** The process id with the start time, since a later process can have the same id. Undefined if the process does not run. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    ]);
    const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${pid}-${startedAt}-${boot.trim()}`;
  } catch {
    const startedAt = await ps("lstart", pid);
    return startedAt && `${pid}-${startedAt.trim()}`;
  }
}

/** For systems without /proc. Undefined if there is no such process. */
async function ps(column: string, pid: number): Promise<string | undefined> {
  return (await run("ps", ["-o", `${column}=`, "-p", String(pid)]).catch(() => undefined))?.stdout;
}

/** Sends the signals one after the other, and waits up to the given ms after each. Returns whether the process has ended. */
export async function endProcess(
  pid: number,
  signals: Partial<Record<NodeJS.Signals, number>>,
  isRunning: () => Promise<boolean>,
): Promise<boolean> {
  for (const [signal, waitMs] of Object.entries(signals)) {
    try {
      process.kill(pid, "SIGCONT"); // a stopped (frozen) process does not handle other signals
      process.kill(pid, signal);
    } catch {
      // the process has ended
    }
    if (await lookUntilFound(waitMs, async () => ((await isRunning()) ? undefined : true), 20)) return true;
  }
  return false;
}
