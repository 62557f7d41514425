/**
 * The pause after this many failures in a row. It is random, from half of a limit to all of it, so that many processes do not try again at
 * the same moment. The limit is `firstMs` after the first failure, and doubles with each further one, up to `maxMs`.
 */
export function backOffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }, random = Math.random): number {
  const limitMs = Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
  return Math.round(limitMs * (0.5 + random() / 2));
}
