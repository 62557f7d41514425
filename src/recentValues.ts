// Caches of bounded size. The values that were set or read longest ago are dropped first.

export function recentValues<Value>(maxValues: number) {
  const values = new Map<string, Value>();
  const set = (key: string, value: Value) => {
    values.delete(key);
    values.set(key, value);
    for (const oldest of values.keys()) {
      if (values.size <= maxValues) break;
      values.delete(oldest);
    }
  };
  return {
    get(key: string): Value | undefined {
      const value = values.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    delete: (key: string) => void values.delete(key),
  };
}

/** A cache that loads its values. Callers that ask for a key at the same time share one load. A failed load is not kept. */
export function recentLoads<Value>(maxValues: number): (key: string, load: () => Promise<Value>) => Promise<Value> {
  const loads = recentValues<Promise<Value>>(maxValues);
  return (key, load) => {
    const earlier = loads.get(key);
    if (earlier !== undefined) return earlier;
    const loading = load();
    loads.set(key, loading);
    loading.catch(() => loads.get(key) === loading && loads.delete(key));
    return loading;
  };
}
