/** A random sample of a sequence of unknown length (reservoir sampling): every item is equally likely to be taken. */
export interface Sample<Item> {
  readonly taken: readonly Item[];
  offer(item: Item): void;
}

export function createSample<Item>(most: number): Sample<Item> {
  const taken: Item[] = [];
  let offered = 0;
  return {
    taken,
    offer(item) {
      offered += 1;
      if (taken.length < most) taken.push(item);
      else {
        const place = Math.floor(Math.random() * offered);
        if (place < most) taken[place] = item;
      }
    },
  };
}
