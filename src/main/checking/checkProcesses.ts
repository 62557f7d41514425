import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Rejection } from "../../domain/rejection.js";
import type { CheckAnswers, CheckResult, CheckWatch, FileChecks, FileToCheck } from "../../judging/fileChecks.js";
import { createSlots } from "../../slots.js";

/** The compiled program, even when a test runs this code from its sources. */
const checkProgramPath = fileURLToPath(new URL("../../../dist/main/checking/checkProcess.js", import.meta.url));
/** The sizes are in megabytes. An ordinary file of the largest size takes far less. A small young generation frees buffers sooner. */
const checkHeapFlags = ["--max-old-space-size=320", "--max-semi-space-size=8"];

export interface CheckProcessesOptions {
  /** The path of the file of each country whose postcodes an operator has loaded. */
  readonly localities: () => Promise<Readonly<Record<string, string>>>;
  readonly processes?: number; // how many may run at the same time
  /** How long to wait for a free process. */
  readonly waitMs?: number;
  /** How long the check of one file may take. */
  readonly runMs?: number;
  /** How long the check may take if another organisation waits and no other check has run longer. */
  readonly yieldAfterMs?: number;
}

/**
 * Runs each check in a process of its own. Organisations take turns. No organisation gets all processes if there are several, so that its
 * slow files do not delay the others. Each process has an operating-system session of its own (`detached`), see lowerPriority.ts.
 */
export function createCheckProcesses(options: CheckProcessesOptions): FileChecks {
  const { localities, processes = 2, waitMs = 90_000, runMs = 600_000, yieldAfterMs = 60_000 } = options;
  const busyMembers = new Set<string>();
  const running = new Set<FileToCheck>(); // in insertion order: the check that has run longest comes first
  const slots = createSlots({
    maxHeld: processes,
    maxPerOwner: Math.max(1, processes - 1),
    queue: { maxPerOwner: Number.POSITIVE_INFINITY, maxWaitMs: waitMs },
    refusal: "Too many files are being checked at the moment, try again shortly",
  });

  return {
    enter(memberId) {
      if (busyMembers.has(memberId)) throw new Rejection("conflict", "A check of yours is still running. Wait for its end, or cancel it");
      busyMembers.add(memberId);
      let hasLeft = false;
      return () => {
        if (!hasLeft) busyMembers.delete(memberId); // a second call must not end the member's next check
        hasLeft = true;
      };
    },
    run(file, watch) {
      const mustGiveWay = () => [...running][0] === file && slots.hasOtherWaiters(file.organisationId);
      const check = async () => {
        running.add(file);
        try {
          return await runProcess(file, watch, { localities, runMs, yieldAfterMs, mustGiveWay });
        } finally {
          running.delete(file);
        }
      };
      return slots.withSlot(file.organisationId, check, watch.signal);
    },
  };
}

interface RunLimits extends Required<Pick<CheckProcessesOptions, "localities" | "runMs" | "yieldAfterMs">> {
  readonly mustGiveWay: () => boolean;
}

const limitCheckIntervalMs = 250;

/** Settles only when the process has ended, so that nothing is written to the caller's folder after that. */
async function runProcess(
  check: FileToCheck,
  { signal, progress, answers }: CheckWatch,
  { localities, runMs, yieldAfterMs, mustGiveWay }: RunLimits,
): Promise<CheckResult> {
  const localityFiles = await localities();
  signal.throwIfAborted();
  const child = fork(checkProgramPath, [], {
    execArgv: checkHeapFlags,
    env: {},
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    detached: true,
    serialization: "advanced",
  });
  const send = (message: MessageToCheck) => child.connected && child.send(message, () => undefined);
  const exit = waitForExit(child);
  let outcome: CheckResult | Error | undefined;
  const stop = (reason: Error) => {
    outcome ??= reason;
    child.kill("SIGKILL");
  };
  child.on("message", (message: MessageFromCheck) => {
    if ("progress" in message) progress(message.progress);
    else if ("question" in message) {
      const answerOf = answers[message.question] as (...args: unknown[]) => Promise<unknown>;
      answerOf(...message.args).then((answer) => send({ answer }), stop);
    } else outcome ??= resultOf(message);
  });
  const onAbort = () => stop(signal.reason);
  const startedAt = performance.now();
  const rejection = (why: string) => new Rejection("invalid", `${why} ${adviceFor(check)}`);
  const limitTimer = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > runMs) stop(rejection(tooSlowText(runMs)));
    else if (elapsedMs > yieldAfterMs && mustGiveWay()) stop(rejection(gaveWayText));
  }, limitCheckIntervalMs).unref();
  signal.addEventListener("abort", onAbort, { once: true });
  send({ check, localities: localityFiles });
  const cause = await exit;
  clearInterval(limitTimer);
  signal.removeEventListener("abort", onAbort);
  if (outcome === undefined) throw cause === "SIGABRT" ? rejection(tooMuchText) : new Error(`checking a file: ${cause}`);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** Resolves with the cause of the process's end, after its last message has been read. */
async function waitForExit(child: ChildProcess): Promise<string> {
  const failed = once(child, "error").then(([error]) => String(error));
  const exited = once(child, "exit").then(([code, killedBy]) => String(killedBy ?? `exit code ${code}`));
  const disconnected = once(child, "disconnect");
  for (const each of [exited, disconnected]) each.catch(() => undefined); // the one that comes second may reject
  return Promise.race([failed, disconnected.then(() => exited)]);
}

function resultOf(message: Exclude<MessageFromCheck, { progress: number } | { question: string }>): CheckResult | Error {
  if ("result" in message) return message.result;
  return "fault" in message ? new Rejection("invalid", message.fault) : new Error(`checking a file: ${message.failure}`);
}

/** Advice for a check that had to be ended. */
const adviceFor = ({ judge }: FileToCheck): string =>
  judge && judge.maxRows === undefined ? "Upload the file: its import judges every row." : "Split the file, or try again later.";
const tooMuchText = "The file holds too much text to be checked."; // V8 ends a process whose heap is full by SIGABRT
const tooSlowText = (ms: number) => `The check took longer than ${ms / 60_000} minutes and was ended.`;
const gaveWayText = "The check was ended because other files wait to be checked.";

/** The questions that a checking process may ask. */
export const questions: readonly (keyof CheckAnswers)[] = [
  ...(["shipments", "codes", "quantityLimits", "knownCodes", "lastActivities", "hashes", "hashedRows"] as const),
];

/** The messages to a checking process. The first one is its task, and each later one answers its last question. */
export type MessageToCheck =
  | { readonly check: FileToCheck; readonly localities: Readonly<Record<string, string>> }
  | { readonly answer: unknown };

export type MessageFromCheck =
  | { readonly progress: number }
  | { readonly question: keyof CheckAnswers; readonly args: readonly unknown[] }
  | { readonly result: CheckResult }
  /** What is wrong with the file. */
  | { readonly fault: string }
  /** A fault of the service, not of the file. */
  | { readonly failure: string };
