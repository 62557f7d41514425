import { writeSync } from "node:fs";

/** Aborts on SIGTERM, on Ctrl-C, and when the process that started us is gone: it may have gone while this one was still loading. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new DOMException("It was stopped before it was done.", "AbortError"));
  process.on("SIGTERM", abort).on("SIGINT", abort).on("SIGHUP", abort);
  if (process.send && !process.connected) abort();
  else process.once("disconnect", abort);
  return stop.signal;
}

/** Whatever hangs, the process is gone so long after it was asked to stop; what it started sees that and ends. */
export function exitInAnyCase(signal: AbortSignal, afterMs: number): void {
  const exit = () => {
    writeSync(2, `It did not stop within ${afterMs / 1000} s and is ended.\n`);
    process.exit(1);
  };
  signal.addEventListener("abort", () => setTimeout(exit, afterMs).unref());
}

/** Tells the process that started us, where one did and still listens. */
export function tellParent(message: Record<string, unknown>): void {
  process.send?.(message, () => undefined); // one that is gone is heard of as a disconnect
}
