// Waiting for the end of an import.
import { WaitTimeoutError } from "./errors.js";
import { mayRepeat, pause, withJitter } from "./transport.js";
import type { Import } from "./types.js";

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds to wait at most. Half an hour unless given. */
  readonly timeout?: number;
  /** Called with each state that is read. */
  readonly onProgress?: (state: Import) => void;
  /** Milliseconds before the second question; grows up to `longestInterval`. One second unless given. */
  readonly firstInterval?: number;
  /** Milliseconds between two questions at most. 30 seconds unless given. */
  readonly longestInterval?: number;
}

export function hasEnded({ status }: Import): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Asks until the import has ended. While the service is unavailable it goes on asking. */
export async function waitFor(ask: (signal: AbortSignal) => Promise<Import>, options: WaitOptions): Promise<Import> {
  const { signal, timeout = 1_800_000, onProgress, longestInterval = 30_000 } = options;
  const control = new AbortController();
  const stop = () => control.abort(signal?.reason);
  const timeUp = new WaitTimeoutError(`The import has not ended within ${timeout} ms; it goes on`);
  const timer = setTimeout(() => control.abort(timeUp), timeout);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    signal?.throwIfAborted();
    for (let interval = options.firstInterval ?? 1000; ; interval = Math.min(interval * 1.5, longestInterval)) {
      const state = await ask(control.signal).catch((error: unknown) => {
        if (control.signal.aborted || !mayRepeat(error)) throw error;
        return (error.retryAfter ?? 0) * 1000;
      });
      if (typeof state !== "number") onProgress?.(state);
      if (typeof state !== "number" && hasEnded(state)) return state;
      await pause(Math.max(withJitter(interval), typeof state === "number" ? state : 0), control.signal);
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
