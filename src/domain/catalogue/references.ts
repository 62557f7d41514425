/** Ids in messages stay short, whatever the file holds. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}

export function duplicates(path: string, ids: readonly string[], key = "id"): string[] {
  const first = new Map<string, number>();
  return ids.flatMap((id, index) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    return earlier === undefined || id === "" ? [] : [`${path}.${index}.${key} ${quote(id)} is already used by ${path}.${earlier}`];
  });
}

export function notAmong(path: string, given: readonly string[], known: ReadonlySet<string>, what: string): string[] {
  const seen = new Set<string>();
  return given.flatMap((id, index) => {
    const repeated = seen.has(id);
    seen.add(id);
    if (id === "") return [];
    if (!known.has(id)) return [`${path}.${index} ${quote(id)} is not a ${what} of this file`];
    return repeated ? [`${path}.${index} ${quote(id)} is given twice`] : [];
  });
}
