// Values that are worth keeping for a while, in bounded number: those that were set or read longest ago go first.

export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

export function keepRecent<Value>(most: number): Recent<Value> {
  const kept = new Map<string, Value>();
  const set = (key: string, value: Value) => {
    kept.delete(key);
    kept.set(key, value);
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    delete: (key) => void kept.delete(key),
  };
}

/** Loads each value once, also when it is wanted several times at once. A load that fails is not kept. */
export function loadRecent<Value>(most: number): (key: string, load: () => Promise<Value>) => Promise<Value> {
  const kept = keepRecent<Promise<Value>>(most);
  return (key, load) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const loading = load();
    kept.set(key, loading);
    loading.catch(() => kept.get(key) === loading && kept.delete(key));
    return loading;
  };
}

/** One for each owner, such as a store, as long as the owner is used. */
export function forEachOwner<Owner extends object, Own>(make: () => Own): (owner: Owner) => Own {
  const owned = new WeakMap<Owner, Own>();
  return (owner) => {
    const own = owned.get(owner) ?? make();
    owned.set(owner, own);
    return own;
  };
}
