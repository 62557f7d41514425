/** Replaces each `:name` of a statement by `$1`, `$2` etc., and returns the values in that order, without those that it does not name. */
export function bindNames(statement: string, values: Readonly<Record<string, unknown>>): { text: string; values: unknown[] } {
  const names: string[] = [];
  const text = statement.replace(/::?(\w+)/g, (whole, name: string) => {
    if (whole.startsWith("::") || !Object.hasOwn(values, name)) return whole; // a cast, or a colon in a text or an array slice
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, values: names.map((name) => values[name]) };
}
