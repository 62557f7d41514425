/** The attributes of the tag being opened; the next tag overwrites them. */
export type Attributes = {
  get(name: string): string | undefined;
  /** Like `get`, for a name with any prefix or none: `id` finds `r:id`, `rel:id` and `id`. */
  getLocal(name: string): string | undefined;
  entries(): [name: string, value: string][];
};

/** One list for all tags, since a workbook has tens of millions of them. */
export function createAttributeList(): Attributes & { clear(): void; add(name: string, value: string): void } {
  const names: string[] = [];
  const values: string[] = [];
  let count = 0;
  const find = (matches: (name: string) => boolean) => {
    for (let index = 0; index < count; index++) if (matches(names[index] as string)) return values[index];
    return undefined;
  };
  return {
    clear() {
      count = 0;
    },
    add(name, value) {
      names[count] = name;
      values[count] = value;
      count += 1;
    },
    get(name) {
      for (let index = 0; index < count; index++) if (names[index] === name) return values[index];
      return undefined;
    },
    getLocal: (name) => find((given) => given === name) ?? find((given) => given.endsWith(`:${name}`)),
    entries: () => names.slice(0, count).map((name, index) => [name, values[index] as string]),
  };
}
