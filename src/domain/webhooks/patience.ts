const hour = 3_600_000;

/** An endpoint without a success for so long is paused, and a delivery that it alone refuses is given up. */
export const patienceMs = 72 * hour;
const firstMs = 5_000;
const longestMs = hour;

/** Until the attempt after the n-th. Half of it is by chance, so that what failed together does not come back together. */
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
