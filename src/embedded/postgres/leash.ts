// Ends a program when this process ends, even by kill -9. A shell runs the program, reads from a pipe that this process holds, and sends
// SIGINT to the program when the pipe closes. The shell repeats the signal, since a program that is just starting ignores it.
import { spawn } from "node:child_process";
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

/** Wraps a command in that shell. The caller spawns it with a pipe as stdin. */
export const withLeash = (command: readonly string[]): string[] => ["sh", "-c", script, "leash", ...command];

/** Starts a program in that shell, as this account. The program ends when the stdin of the returned process closes. */
export function startOnLeash(program: readonly string[], { prefix, spawnAs }: Account) {
  const [command = "", ...args] = [...prefix, "env", "TZ=UTC", "LC_ALL=C", ...withLeash(program)];
  const stdio: ["pipe", "ignore", "pipe"] = ["pipe", "ignore", "pipe"];
  const child = spawn(command, args, { ...spawnAs, cwd: "/", detached: true, stdio }); // Ctrl-C reaches only this process
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8");
  return child;
}
