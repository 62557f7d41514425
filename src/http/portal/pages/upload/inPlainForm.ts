import { TooBusy } from "../../../../portErrors.js";

/** A browser without scripts shows nothing until the answer, and the server ends a connection that is silent for a minute. */
const plainFormMs = 50_000;

/** Runs the work of a form without scripts. The signal aborts when the work has to end. */
export async function inPlainForm<Result>(
  ends: readonly AbortSignal[],
  tooSlow: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.any([...ends, AbortSignal.timeout(plainFormMs)]);
  return work(signal).catch((error: unknown) => {
    throw signal.aborted ? new TooBusy(tooSlow, { cause: error }) : error;
  });
}
