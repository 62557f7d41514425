/** A fair sample of a stream of unknown length: each one offered is as likely to be taken as any other. */
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
