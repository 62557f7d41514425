/** `make` with a memory for what is asked again and again. It is emptied when it has `most` results, so that it never fills the heap. */
export function cacheResults<Key, Value>(most: number, make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const kept = known.get(key);
    if (kept !== undefined || known.has(key)) return kept as Value;
    const value = make(key);
    if (known.size >= most) known.clear();
    known.set(key, value);
    return value;
  };
}
