// Waits with a time limit. Every layer uses these functions, since every layer waits for something that may never answer.
import { setTimeout as pause } from "node:timers/promises";

/** The result of `work`, or what `onTimeout` returns or throws after `ms`. After a time-out `work` goes on, and its result is ignored. */
export async function withTimeLimit<T, L = never>(ms: number, work: Promise<T>, onTimeout: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    // Waits one more iteration of the event loop: if this process could not run for a while, the answer may already have arrived.
    timer = setTimeout(() => setImmediate(resolve), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, limit.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `look` at least once, and again every `everyMs` until it finds something. Undefined if it finds nothing within `ms`. */
export async function lookUntilFound<Found>(ms: number, look: () => Promise<Found | undefined>, everyMs = 50): Promise<Found | undefined> {
  for (const end = performance.now() + ms; ; await pause(everyMs)) {
    const found = await look();
    if (found !== undefined || performance.now() > end) return found;
  }
}
