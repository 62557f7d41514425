import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { commandLine, endProcess, isAlive } from "../processes.js";

/** Reads a server's postmaster.pid. A killed server leaves its file behind. `startedAt` is the text that the server wrote. */
export async function readPidFile(folder: string) {
  const lines = (await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, startedAt: lines[2] ?? "", port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/** Stops a server that an earlier start left running on this folder. Removes the pid file if another program now has that process id. */
export async function stopLeftover(folder: string, onStop: (pid: number) => void): Promise<void> {
  const leftover = await readPidFile(folder);
  if (!leftover || !isAlive(leftover.pid)) return;
  const command = await commandLine(leftover.pid);
  if (!command.includes("postgres") || !command.includes(folder)) {
    await rm(join(folder, "postmaster.pid"), { force: true });
    return;
  }
  onStop(leftover.pid);
  await stopServer(leftover.pid);
}

/** Requests a fast shutdown, then an immediate one (the next start recovers from the write-ahead log), then kills the server. */
export async function stopServer(pid: number): Promise<void> {
  const signals = { SIGINT: 5_000, SIGQUIT: 7_000, SIGKILL: 5_000 }; // five seconds after SIGQUIT the server kills its own processes
  if (!(await endProcess(pid, signals, async () => isAlive(pid)))) throw new Error(`Postgres process ${pid} does not end.`);
}
