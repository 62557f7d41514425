import { writeSync } from "node:fs";

/** Aborts on SIGTERM, on Ctrl-C, and when the parent process has ended, also if it ended while this process was loading. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new DOMException("It was stopped before it was done.", "AbortError"));
  process.on("SIGTERM", abort).on("SIGINT", abort).on("SIGHUP", abort);
  if (process.send && !process.connected) abort();
  else process.once("disconnect", abort);
  return stop.signal;
}

/** Ends the process `afterMs` after it was asked to stop, even if something hangs. Its children see that and end. */
export function exitInAnyCase(signal: AbortSignal, afterMs: number): void {
  const exit = () => {
    writeSync(2, `It did not stop within ${afterMs / 1000} s and is ended.\n`);
    process.exit(1);
  };
  signal.addEventListener("abort", () => setTimeout(exit, afterMs).unref());
}

/** Sends a message to the parent process, if there is one. */
export function tellParent(message: Record<string, unknown>): void {
  process.send?.(message, () => undefined); // an ended parent is noticed by `disconnect`
}
