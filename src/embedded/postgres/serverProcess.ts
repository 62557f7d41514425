import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { commandLine, endProcess, isAlive } from "../processes.js";

/** The content of a server's postmaster.pid. The file of a killed server stays. `startedAt` is as the server wrote it. */
export async function readPidFile(folder: string) {
  const lines = (await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, startedAt: lines[2] ?? "", port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/** Stops a server that an earlier start left running on this folder. Removes a pid file whose process id now belongs to another program. */
export async function stopLeftover(folder: string, onStop: (pid: number) => void): Promise<void> {
  const left = await readPidFile(folder);
  if (!left || !isAlive(left.pid)) return;
  const command = await commandLine(left.pid);
  if (!command.includes("postgres") || !command.includes(folder)) {
    await rm(join(folder, "postmaster.pid"), { force: true });
    return;
  }
  onStop(left.pid);
  await stopServer(left.pid);
}

/** Requests a fast shutdown, then an immediate one (the next start recovers from the write-ahead log), then kills the server. */
export async function stopServer(pid: number): Promise<void> {
  const signals = { SIGINT: 5_000, SIGQUIT: 7_000, SIGKILL: 5_000 }; // five seconds after SIGQUIT the server kills its own processes
  if (!(await endProcess(pid, signals, async () => isAlive(pid)))) throw new Error(`Postgres process ${pid} does not end.`);
}
