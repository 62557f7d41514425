export interface Randomness {
  /** From 0 up to, but not including, `below`. */
  number(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(share: number): boolean;
  /** A new source that is seeded from this one, so that consumers do not change each other's draws. */
  fork(): Randomness;
}

/** A generator that gives the same draws for the same seed (mulberry32). */
export function seeded(seed: number): Randomness {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number) => Math.floor(next() * below);
  return {
    number,
    pick: (items) => items[number(items.length)] as (typeof items)[number],
    chance: (share) => next() < share,
    fork: () => seeded(number(2 ** 31)),
  };
}
