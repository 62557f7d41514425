import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Rejection } from "../../domain/rejection.js";
import type { CheckAnswers, CheckResult, CheckWatch, FileChecks, FileToCheck } from "../../judging/fileChecks.js";
import { createSlots } from "../../slots.js";

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
  /** How long it may take while another organisation waits and no other check has run longer. */
  readonly yieldAfterMs?: number;
}

/**
 * Runs each check in a process of its own. Organisations are served in rotation; if several processes may run, no organisation gets all of them,
 * and a slow file does not keep the others waiting. Each process is a session of its own (`detached`), so that its low priority is its alone.
 */
export function createCheckProcesses(options: CheckProcessesOptions): FileChecks {
  const { localities, processes = 2, waitMs = 90_000, runMs = 600_000, yieldAfterMs = 60_000 } = options;
  const members = new Set<string>();
  const running = new Set<FileToCheck>(); // the one that has run longest comes first
  const slots = createSlots({
    inAll: processes,
    each: Math.max(1, processes - 1),
    line: { each: Number.POSITIVE_INFINITY, ms: waitMs },
    refusal: "Too many files are being checked at the moment, try again shortly",
  });

  return {
    enter(memberId) {
      if (members.has(memberId)) throw new Rejection("conflict", "A check of yours is still running. Wait for its end, or cancel it");
      members.add(memberId);
      let isOver = false;
      return () => {
        if (!isOver) members.delete(memberId); // called again, it must not end the member's next check
        isOver = true;
      };
    },
    run(file, watch) {
      const mustGiveWay = () => [...running][0] === file && slots.othersWait(file.organisationId);
      const check = async () => {
        running.add(file);
        try {
          return await runProcess(file, watch, { localities, runMs, yieldAfterMs, mustGiveWay });
        } finally {
          running.delete(file);
        }
      };
      return slots.within(file.organisationId, check, watch.signal);
    },
  };
}

interface RunLimits extends Required<Pick<CheckProcessesOptions, "localities" | "runMs" | "yieldAfterMs">> {
  readonly mustGiveWay: () => boolean;
}

const lookMs = 250;

/** Settles only when the process has ended, so that nothing is written to the caller's folder after that. */
async function runProcess(
  check: FileToCheck,
  { signal, progress, answers }: CheckWatch,
  { localities, runMs, yieldAfterMs, mustGiveWay }: RunLimits,
): Promise<CheckResult> {
  const known = await localities();
  signal.throwIfAborted();
  const child = fork(program, [], {
    execArgv,
    env: {},
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    detached: true,
    serialization: "advanced",
  });
  const say = (message: MessageToCheck) => child.connected && child.send(message, () => undefined);
  const end = endOf(child);
  let outcome: CheckResult | Error | undefined;
  const stop = (reason: Error) => {
    outcome ??= reason;
    child.kill("SIGKILL");
  };
  child.on("message", (message: MessageFromCheck) => {
    if ("progress" in message) progress(message.progress);
    else if ("ask" in message) {
      const answer = answers[message.ask] as (...given: unknown[]) => Promise<unknown>;
      answer(...message.given).then((answer) => say({ answer }), stop);
    } else outcome ??= resultOf(message);
  });
  const left = () => stop(signal.reason);
  const begun = performance.now();
  const ended = (why: string) => new Rejection("invalid", `${why} ${adviceFor(check)}`);
  const late = setInterval(() => {
    const ran = performance.now() - begun;
    if (ran > runMs) stop(ended(tooSlow(runMs)));
    else if (ran > yieldAfterMs && mustGiveWay()) stop(ended(gaveWay));
  }, lookMs).unref();
  signal.addEventListener("abort", left, { once: true });
  say({ check, localities: known });
  const how = await end;
  clearInterval(late);
  signal.removeEventListener("abort", left);
  if (outcome === undefined) throw how === "SIGABRT" ? ended(tooMuchText) : new Error(`checking a file: ${how}`);
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

function resultOf(message: Exclude<MessageFromCheck, { progress: number } | { ask: string }>): CheckResult | Error {
  if ("result" in message) return message.result;
  return "fault" in message ? new Rejection("invalid", message.fault) : new Error(`checking a file: ${message.failure}`);
}

/** What to do about a process that had to be ended. A file that is only read is about to be uploaded. */
const adviceFor = ({ judge }: FileToCheck): string =>
  judge && judge.mostRows === undefined ? "Upload the file: its import judges every row." : "Split the file, or try again later.";
const tooMuchText = "The file holds too much text to be checked.";
const tooSlow = (ms: number) => `The check took longer than ${ms / 60_000} minutes and was ended.`;
const gaveWay = "The check was ended because other files wait to be checked.";

/** What the process that checks a file may ask for. */
export const questions: readonly (keyof CheckAnswers)[] = [
  ...(["shipments", "codes", "quantityLimits", "knownCodes", "lastActivities", "hashes", "hashedRows"] as const),
];

/** The first message is the task. Each later one answers what was asked last. */
export type MessageToCheck =
  | { readonly check: FileToCheck; readonly localities: Readonly<Record<string, string>> }
  | { readonly answer: unknown };

/** The messages from the process that checks a file. */
export type MessageFromCheck =
  | { readonly progress: number }
  | { readonly ask: keyof CheckAnswers; readonly given: readonly unknown[] }
  | { readonly result: CheckResult }
  /** What is wrong with the file. */
  | { readonly fault: string }
  /** A fault of the service, not of the file. */
  | { readonly failure: string };
