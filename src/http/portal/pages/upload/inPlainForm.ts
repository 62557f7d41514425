import { TooBusy } from "../../../../portErrors.js";

/** A browser without scripts shows nothing until the answer, and the server ends a connection that is silent for a minute. */
const plainFormMs = 50_000;

/** Work for a form without scripts, which is told by the signal to end. */
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
