import { fork } from "node:child_process";
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { backOffMs } from "../backOff.js";
import { withTimeLimit } from "../timeLimit.js";

/** The built program, even when a test runs this code from its sources. */
export const programPath = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Roles make many short-lived objects for each row or request. A smaller young generation saves the API 22 MB, but slows quotes down. */
const youngSpace = "--max-semi-space-size=16";

/** How much the heap may grow beyond what is in use before V8 collects it. With 100 % it may double. */
const heapGrowth = (percent: number): string => `--heap-growing-percent=${percent}`;

/**
 * Without a flag V8 chooses how far the heap may grow, at most to four times what is in use. The worker and projector get twice. The API
 * and the event store get four times, since each buffer that they read counts as growth: at twice, the event store collected its heap every
 * second. Without a flag the API did so every 250 ms during a download, while quotes waited.
 */
export const heapFlags = (role: string | undefined) => [youngSpace, heapGrowth(role === "api" || role === "eventstore" ? 300 : 100)];

/**
 * Starts a command of this program as a child process, with `input` as its stdin. The child ends when its IPC channel to this process
 * closes. `ready` resolves with the child's first message, and rejects if the child ends before. `exited` resolves with how it ended.
 */
export function startChild(args: readonly string[], { env, input }: { env?: NodeJS.ProcessEnv; input?: string } = {}) {
  const child = fork(programPath, args, {
    detached: true, // Ctrl-C reaches only this process, which stops its children in order
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "inherit", "ipc"],
    execArgv: [...process.execArgv, ...heapFlags(args[0])],
    env,
  });
  child.stdin?.on("error", () => undefined).end(input); // `exited` reports a child that ends before it has read its stdin
  const exited = new Promise<string>((settle) => {
    child.once("error", (error) => settle(error.message));
    child.once("exit", (code, signal) => settle(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
  const ready = new Promise<Record<string, unknown>>((settle, reject) => {
    child.once("message", (message) => settle(message as Record<string, unknown>));
    void exited.then((reason) => reject(new Error(`${args[0]} did not start: ${reason}`)));
  });
  ready.catch(() => undefined);
  /** Sends SIGTERM, and SIGKILL if the child has not ended after `killAfterMs`. */
  const stop = async (killAfterMs: number): Promise<void> => {
    child.kill("SIGTERM");
    await withTimeLimit(killAfterMs, exited, () => child.kill("SIGKILL"));
    await exited;
  };
  return { pid: child.pid ?? 0, ready, exited, stop };
}

export interface RunningProcess {
  /** Resolves when the process has ended, with how it ended. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface SupervisedProcess<Process extends RunningProcess> {
  current(): Process | undefined; // undefined until a process that has ended is started again
  /** Stops the process for good. */
  stop(): Promise<void>;
}

const pauses = { firstMs: 200, maxMs: 10_000 };
const stableAfterMs = 30_000;

/** Starts a process again whenever it ends by itself, after a pause that doubles while it keeps failing. */
export function keepRunning<Process extends RunningProcess>(options: {
  name: string;
  first: Process;
  /** Starts the process again. The signal aborts when the process is to stop for good, even during this start. */
  start: (signal: AbortSignal) => Promise<Process>;
  logger: Logger;
  onStart?: () => void;
}): SupervisedProcess<Process> {
  const { name, logger } = options;
  const stopping = new AbortController();
  let current: Process | undefined = options.first;
  const watch = (async () => {
    let failures = 0;
    let reason = "";
    while (!stopping.signal.aborted) {
      if (current) {
        const startedAt = Date.now();
        reason = await current.exited;
        if (stopping.signal.aborted) return;
        if (Date.now() - startedAt > stableAfterMs) failures = 0;
      }
      current = undefined;
      failures += 1;
      const restartInMs = backOffMs(failures, pauses);
      logger.error({ child: name, reason, restartInMs }, `${name} ended by itself, starting it again`);
      await pause(restartInMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      current = await options.start(stopping.signal).catch((error: Error) => {
        reason = error.message;
        return undefined;
      });
      if (current) options.onStart?.();
    }
  })();
  return {
    current: () => current,
    stop: async () => {
      stopping.abort();
      await current?.stop();
      await watch;
      await current?.stop(); // `watch` may have just started it again
    },
  };
}

/** Aborts on SIGTERM, on Ctrl-C, and when the parent process has ended, even if that was while this process was loading. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new DOMException("It was stopped before it was done.", "AbortError"));
  process.on("SIGTERM", abort).on("SIGINT", abort).on("SIGHUP", abort);
  if (process.send && !process.connected) abort();
  else process.once("disconnect", abort);
  return stop.signal;
}

/** Ends this process `afterMs` after the signal aborts, even if something hangs. The children of this process then end too. */
export function limitStop(signal: AbortSignal, afterMs: number): void {
  const exit = () => {
    writeSync(2, `It did not stop within ${afterMs / 1000} s and is ended.\n`);
    process.exit(1);
  };
  signal.addEventListener("abort", () => setTimeout(exit, afterMs).unref());
}

/** Sends a message to the parent process, if there is one. */
export function tellParent(message: Record<string, unknown>): void {
  process.send?.(message, () => undefined); // an error means that the parent has ended, which `disconnect` reports
}
