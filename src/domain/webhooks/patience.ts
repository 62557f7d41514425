const hour = 3_600_000;

/** An endpoint without a success for this long is paused. A single delivery that fails for this long, while others succeed, is given up. */
export const patienceMs = 72 * hour;
const firstMs = 5_000;
const longestMs = hour;

/** The time from the n-th attempt to the next. Half of it is random, so that deliveries that failed together are not repeated together. */
export function untilNextMs(attempts: number, random: () => number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 20));
  return Math.round(full * (0.5 + random() / 2));
}

const longestProbeMs = 60_000;

/** An endpoint whose last attempts failed gets one delivery at a time, this far apart, until one succeeds. */
export function untilProbeMs(failuresInARow: number, random: () => number): number {
  const full = Math.min(longestProbeMs, 1_000 * 2 ** Math.min(failuresInARow - 1, 20));
  return Math.round(full * (0.5 + random() / 2));
}
