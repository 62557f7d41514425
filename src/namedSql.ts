/** Replaces each `:name` of a statement by `$1`, `$2` etc., with the values in that order. Values that it does not name are left out. */
export function bindNames(statement: string, values: Readonly<Record<string, unknown>>): { text: string; values: unknown[] } {
  const names: string[] = [];
  const text = statement.replace(/::?(\w+)/g, (whole, name: string) => {
    if (whole.startsWith("::") || !Object.hasOwn(values, name)) return whole; // a type, or a part of an array or of a format
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, values: names.map((name) => values[name]) };
}
