/**
 * How long to pause after this many failures in a row: `firstMs` after the first, then twice as long each time, at most `mostMs`. It is a random part
 * of that, from half to all, so that many processes do not try again at the same moment. Tests replace `random`.
 */
export function backOffMs(failures: number, { firstMs, mostMs }: { firstMs: number; mostMs: number }, random = Math.random): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
  return Math.round(full * (0.5 + random() / 2));
}
