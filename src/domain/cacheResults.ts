/** Returns `compute` with a cache. The cache is emptied when it has `maxResults` results, so that it never fills the heap. */
export function cacheResults<Key, Value>(maxResults: number, compute: (key: Key) => Value): (key: Key) => Value {
  const results = new Map<Key, Value>();
  return (key) => {
    const cached = results.get(key);
    if (cached !== undefined || results.has(key)) return cached as Value;
    const value = compute(key);
    if (results.size >= maxResults) results.clear();
    results.set(key, value);
    return value;
  };
}
