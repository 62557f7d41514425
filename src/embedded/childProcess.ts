import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { withTimeLimit } from "../timeLimit.js";

/** The built program, also when a test runs this code from its sources. */
export const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Every role makes many short-lived objects for each row or request. A smaller young generation would save the API 22 MB, but quotes would be slower. */
const youngSpace = "--max-semi-space-size=16";

/** By how much the heap may grow before V8 collects it. */
const growth = (percent: number): string => `--heap-growing-percent=${percent}`;

/**
 * On a machine with much memory V8 lets the heap grow to at most four times what is in use. The worker and the projector get twice, which is
 * no hard limit. The API and the event store always get four times, since each buffer that they read counts as growth: with twice the event
 * store collected its heap every second, and by V8's own choice the API did so four times a second beside a download, while quotes waited.
 */
export function heapFlags(role: string | undefined): string[] {
  return [youngSpace, growth(role === "api" || role === "eventstore" ? 300 : 100)];
}

export interface Child {
  readonly pid: number;
  /** The message that the child sends when it is ready. Rejects when the child ends before that. */
  readonly ready: Promise<Record<string, unknown>>;
  /** Resolves with the reason when the child has ended. */
  readonly exited: Promise<string>;
  /** Sends SIGTERM, and SIGKILL if the child has not ended after `patience` ms. */
  stop(patience: number): Promise<void>;
}

/** Starts a command of this program as a child process. The child ends when the IPC channel to this process closes. `input` is its stdin. */
export function startChild(
  args: readonly string[],
  { env, input }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Child {
  const child = fork(program, args, {
    detached: true, // Ctrl-C goes to the parent only, which stops its children in order
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "inherit", "ipc"],
    execArgv: [...process.execArgv, ...heapFlags(args[0])],
    ...(env ? { env } : {}),
  });
  child.stdin?.on("error", () => undefined).end(input); // a child that ends before it has read its stdin is reported by `exited`
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
  await withTimeLimit(patience, exited, () => child.kill("SIGKILL"));
  await exited;
}
