// Ends a program when this process ends, also by kill -9: a shell reads from this process's pipe and sends SIGINT to the program when the
// pipe closes. It repeats the signal, since a program that is just starting ignores it.
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { commandLine, endProcess, isAlive } from "../processes.js";
import type { Account } from "./account.js";

const script = `
exec 3<&0
"$@" 3<&- &
program=$!
{
  read -r _ <&3
  trap 'kill $nap; exit' TERM
  while kill -INT $program; do
    sleep 1 &
    nap=$!
    wait $nap
  done
} 2>/dev/null &
watch=$!
wait $program
code=$?
kill $watch 2>/dev/null
exit $code`;

/** The command in that shell; spawn it with a pipe as stdin. */
export const withLeash = (command: readonly string[]): string[] => ["sh", "-c", script, "leash", ...command];

/** Starts a program in that shell, as this account: it ends when the stdin of what is returned closes. */
export function startOnLeash(program: readonly string[], { prefix, spawnAs }: Account) {
  const [command = "", ...args] = [...prefix, "env", "TZ=UTC", "LC_ALL=C", ...withLeash(program)];
  const stdio: ["pipe", "ignore", "pipe"] = ["pipe", "ignore", "pipe"];
  const child = spawn(command, args, { ...spawnAs, cwd: "/", detached: true, stdio }); // Ctrl-C goes to this process only, which ends the program
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8");
  return child;
}

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
