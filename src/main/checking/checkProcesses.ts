import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createFairLine } from "../../adapters/spreadsheets/threads/fairLine.js";
import type { CheckedFile, CheckWatch, FileChecks, FileToCheck } from "../../commands/imports/judging/fileChecks.js";
import { Rejection } from "../../domain/rejection.js";
import { TooBusy } from "../../portErrors.js";
import type { FromCheck, ToCheck } from "./messages.js";

/** The compiled program, also when this code runs from its sources in a test. */
const program = fileURLToPath(new URL("../../../dist/main/checking/checkProcess.js", import.meta.url));
/** In megabytes: the rows of the largest file are judged in far less. A small young generation frees its buffers sooner. */
const execArgv = ["--max-old-space-size=320", "--max-semi-space-size=8"];

export interface CheckProcessesOptions {
  /** The path of the file of each country whose postcodes an operator has loaded. */
  readonly localities: () => Promise<Readonly<Record<string, string>>>;
  readonly processes?: number;
  /** How long to wait for a free process. */
  readonly waitMs?: number;
  /** How long the check of one file may take. */
  readonly runMs?: number;
}

interface Job {
  readonly start: () => Promise<void>;
}

/**
 * Runs each check in a process of its own. Organisations take turns; if several processes may run, no organisation gets all of them. Each
 * process is a session of its own (`detached`), so that its low priority concerns no other process.
 */
export function createCheckProcesses(options: CheckProcessesOptions): FileChecks {
  const { processes = 2, waitMs = 60_000, runMs = 600_000 } = options;
  const members = new Set<string>();
  const line = createFairLine<Job>(Math.max(1, processes - 1));
  let running = 0;

  function startJobs(): void {
    while (running < processes) {
      const next = line.next();
      if (!next) return;
      running += 1;
      void next.job.start().finally(() => {
        running -= 1;
        line.done(next.organisationId);
        startJobs();
      });
    }
  }

  return {
    enter(memberId) {
      if (members.has(memberId)) throw new Rejection("conflict", "A check of yours is still running. Wait for its end, or cancel it.");
      members.add(memberId);
      return () => members.delete(memberId);
    },
    run: (file, watch) =>
      new Promise<CheckedFile>((resolve, reject) => {
        const leave = (reason: unknown) => {
          line.remove(file.organisationId, job);
          reject(reason);
        };
        const late = setTimeout(
          () => leave(new TooBusy("Too many files are being checked at the moment, try again shortly")),
          waitMs,
        ).unref();
        const left = () => leave(watch.signal.reason);
        const job: Job = {
          start: async () => {
            clearTimeout(late);
            watch.signal.removeEventListener("abort", left);
            await runProcess(file, watch, { ...options, runMs }).then(resolve, reject);
          },
        };
        if (watch.signal.aborted) return left();
        watch.signal.addEventListener("abort", left, { once: true });
        line.add(file.organisationId, job);
        startJobs();
      }),
  };
}

/** Settles only when the process has ended, so that nothing is written to the caller's folder after that. */
async function runProcess(
  check: FileToCheck,
  { signal, progress, shipments }: CheckWatch,
  { localities, runMs }: CheckProcessesOptions & { runMs: number },
): Promise<CheckedFile> {
  const known = await localities();
  signal.throwIfAborted();
  const child = fork(program, [], { execArgv, env: {}, stdio: ["ignore", "ignore", "ignore", "ipc"], detached: true });
  const say = (message: ToCheck) => child.connected && child.send(message, () => undefined);
  const ended = endOf(child);
  let outcome: CheckedFile | Error | undefined;
  const stop = (reason: Error) => {
    outcome ??= reason;
    child.kill("SIGKILL");
  };
  child.on("message", (message: FromCheck) => {
    if ("progress" in message) progress(message.progress);
    else if ("shipments" in message)
      shipments(message.shipments).then(
        () => say({ goOn: true }),
        (error: Error) => stop(error),
      );
    else outcome ??= resultOf(message);
  });
  const left = () => stop(signal.reason);
  const late = setTimeout(() => stop(new Rejection("invalid", tooSlow(runMs))), runMs).unref();
  signal.addEventListener("abort", left, { once: true });
  say({ check, localities: known });
  const how = await ended;
  clearTimeout(late);
  signal.removeEventListener("abort", left);
  if (outcome === undefined) throw how === "SIGABRT" ? new Rejection("invalid", tooMuchText) : new Error(`checking a file: ${how}`);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** Resolves with how the process ended, after its last message has been read. */
async function endOf(child: ChildProcess): Promise<string> {
  const failed = once(child, "error").then(([error]) => String(error));
  const exited = once(child, "exit").then(([code, killedBy]) => String(killedBy ?? `exit code ${code}`));
  const disconnected = once(child, "disconnect");
  for (const unused of [exited, disconnected]) unused.catch(() => undefined);
  return Promise.race([failed, disconnected.then(() => exited)]);
}

function resultOf(message: Exclude<FromCheck, { progress: number } | { shipments: readonly string[] }>): CheckedFile | Error {
  if ("checked" in message) return message.checked;
  return "fault" in message ? new Rejection("invalid", message.fault) : new Error(`checking a file: ${message.failure}`);
}

const tooMuchText = "The file holds too much text to be checked. Upload it: its import judges every row.";
const tooSlow = (ms: number) =>
  `The check took longer than ${ms / 60_000} minutes and was ended. Upload the file: its import judges every row.`;
