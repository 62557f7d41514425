// Waiting that always ends, in one place: every layer waits for something that may never answer.
import { setTimeout as pause } from "node:timers/promises";

/** The result of `work`, or what `late` gives or throws once `ms` have passed. `work` goes on; its result is then ignored. */
export async function withTimeLimit<T, L = never>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    // One more iteration of the event loop: if this process could not run for a while, the answer may already have arrived.
    timer = setTimeout(() => setImmediate(resolve), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks at least once, and again every `everyMs` until something is found. Undefined when it is not found within `ms`. */
export async function lookUntilFound<Found>(ms: number, look: () => Promise<Found | undefined>, everyMs = 50): Promise<Found | undefined> {
  for (const end = performance.now() + ms; ; await pause(everyMs)) {
    const found = await look();
    if (found !== undefined || performance.now() > end) return found;
  }
}
