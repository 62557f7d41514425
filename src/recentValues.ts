// A bounded cache: the values that were set or read longest ago are dropped first.

export function recentValues<Value>(most: number) {
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
    get(key: string): Value | undefined {
      const value = kept.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    delete: (key: string) => void kept.delete(key),
  };
}

/** Loads each value once, also if several callers ask for it at the same time. A failed load is not kept. */
export function recentLoads<Value>(most: number): (key: string, load: () => Promise<Value>) => Promise<Value> {
  const kept = recentValues<Promise<Value>>(most);
  return (key, load) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const loading = load();
    kept.set(key, loading);
    loading.catch(() => kept.get(key) === loading && kept.delete(key));
    return loading;
  };
}
