/** One sentence for each field of `recorded` that has another value in `derived`. Fields that were not recorded are not compared. */
export function differences(recorded: unknown, derived: unknown, path = ""): string[] {
  if (!isObject(recorded) || !isObject(derived) || Array.isArray(recorded) !== Array.isArray(derived)) {
    return Object.is(recorded, derived) ? [] : [`${path} was recorded as ${shown(recorded)} and comes out as ${shown(derived)}`];
  }
  if (Array.isArray(recorded) && recorded.length !== (derived as unknown as unknown[]).length) {
    return [`${path} has ${recorded.length} entries on record and comes out with ${(derived as unknown as unknown[]).length}`];
  }
  return Object.entries(recorded)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => differences(value, derived[key], path === "" ? key : `${path}.${key}`));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";
