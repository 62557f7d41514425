/**
 * The pause after this many failures in a row: `firstMs` after the first, then twice as long each time, up to `maxMs`. The result is a
 * random share of that, from half to all, so that many processes do not try again at the same moment. Tests replace `random`.
 */
export function backOffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }, random = Math.random): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
  return Math.round(full * (0.5 + random() / 2));
}
