export interface Randomness {
  /** From 0 up to, but not including, `below`. */
  number(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(share: number): boolean;
  /** Another source that follows from this one: what one consumer draws does not change what the other consumers draw. */
  fork(): Randomness;
}

/** The same seed, the same draws (mulberry32). */
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
