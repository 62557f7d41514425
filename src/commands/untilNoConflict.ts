import { setTimeout as pause } from "node:timers/promises";
import { backOffMs } from "../backOff.js";
import { StoreUnavailable, WrongVersion } from "../portErrors.js";

const withinMs = 5_000;
const pauses = { firstMs: 20, mostMs: 250 };

/** By stream: the last of this process's callers that try again. Each one waits for the one before it. */
const lastInLine = new Map<string, Promise<unknown>>();

/**
 * Runs `attempt` again when someone else has appended to its stream in between. Callers of this process that had a conflict take turns; those of
 * other processes are avoided by pauses of random length. When the conflicts do not end, the caller is told to come back later: nothing was
 * appended.
 */
export async function untilNoConflict<Result>(attempt: (conflicts: number) => Promise<Result>, limitMs = withinMs): Promise<Result> {
  const deadline = performance.now() + limitMs;
  try {
    return await attempt(0);
  } catch (error) {
    if (!(error instanceof WrongVersion)) throw error;
    return inLine(error.stream, () => tryAgain(attempt, error, deadline));
  }
}

async function tryAgain<Result>(attempt: (conflicts: number) => Promise<Result>, first: WrongVersion, deadline: number): Promise<Result> {
  let cause = first;
  for (let conflicts = 1; performance.now() < deadline; conflicts += 1) {
    try {
      return await attempt(conflicts);
    } catch (error) {
      if (!(error instanceof WrongVersion)) throw error;
      cause = error;
      await pause(backOffMs(conflicts, pauses));
    }
  }
  throw new StoreUnavailable("event store", "Too many changes to the same thing at the moment, try again shortly", { cause });
}

async function inLine<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
  const before = lastInLine.get(stream) ?? Promise.resolve();
  const mine = before.then(work, work);
  lastInLine.set(stream, mine);
  try {
    return await mine;
  } finally {
    if (lastInLine.get(stream) === mine) lastInLine.delete(stream);
  }
}
