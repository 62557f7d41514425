import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The program itself, also when this code runs from its sources in a test. */
export const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Buffers of uploads and batches are freed with the young generation: a small one keeps processes some 30 MB smaller. */
const youngSpace = (megabytes: number): string => `--max-semi-space-size=${megabytes}`;

/** By how much a heap may grow before it is collected. */
const growth = (percent: number): string => `--heap-growing-percent=${percent}`;

/**
 * On a machine with much memory V8 lets a heap grow to four times what is in use before it collects. Twice is enough, and no limit
 * that a process could die of; a young generation of twice the size makes up for the time. The API answers faster without it. The event
 * store may have four times as well: every request it has read counts as growth, and at twice it went through its heap every second. Its
 * young generation is twice as large again: it makes many short-lived objects of each event, and keeps hardly any.
 */
export function heapFlags(role: string | undefined): string[] {
  if (role === "api") return [youngSpace(4)];
  return role === "eventstore" ? [youngSpace(16), growth(300)] : [youngSpace(8), growth(100)];
}

export interface Child {
  readonly pid: number;
  /** What the child said when it was ready. Rejects when it ends before that. */
  readonly ready: Promise<Record<string, unknown>>;
  /** Settles with the reason once the child is gone. */
  readonly exited: Promise<string>;
  /** SIGTERM, and SIGKILL when that is not heeded in time. */
  stop(patience: number): Promise<void>;
}

/** Starts a command of this program as a process that ends when we end: it watches the channel between us. `input` is its stdin. */
export function startChild(
  args: readonly string[],
  { env, input }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Child {
  const child = fork(program, args, {
    detached: true, // Ctrl-C goes to the parent alone, which ends its children in order
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "inherit", "ipc"],
    execArgv: [...process.execArgv, ...heapFlags(args[0])],
    ...(env ? { env } : {}),
  });
  child.stdin?.on("error", () => undefined).end(input); // one that ends before it has read is heard of as an exit
  const exited = new Promise<string>((settle) => {
    child.once("error", (error) => settle(error.message));
    child.once("exit", (code, signal) => settle(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
  const ready = new Promise<Record<string, unknown>>((settle, reject) => {
    child.once("message", (message) => settle(message as Record<string, unknown>));
    void exited.then((reason) => reject(new Error(`${args[0]} did not start: ${reason}`)));
  });
  ready.catch(() => undefined);
  return { pid: child.pid ?? 0, ready, exited, stop: (patience) => stop(child, exited, patience) };
}

async function stop(child: ChildProcess, exited: Promise<string>, patience: number): Promise<void> {
  child.kill("SIGTERM");
  const inTime = new AbortController();
  const late = pause(patience, "late" as const, { signal: inTime.signal }).catch(() => "aborted" as const);
  if ((await Promise.race([exited, late])) === "late") child.kill("SIGKILL");
  inTime.abort();
  await exited;
}
