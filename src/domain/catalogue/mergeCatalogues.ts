// Merges two people's changes to one version of a catalogue. A part that both changed differently is a conflict: a person decides.
import { isDeepStrictEqual } from "node:util";
import type { CatalogueDifference } from "./diff.js";
import type { OrganisationFile } from "./schema.js";
import { type Children, entriesByName, isObject, splitTrail, type Trail } from "./tree.js";

/** A part that both have changed in different ways. Its value is undefined on a side that does not have it. */
export interface Conflict extends Pick<CatalogueDifference, "section" | "id"> {
  /** Leads from the entry to the part; empty for the entry itself. */
  readonly trail: Trail;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

type Sides = readonly [base: unknown, theirs: unknown, mine: unknown];

/** `keepsTheirs` decides each conflict by its index in `conflicts`. */
export function mergeCatalogues(
  base: OrganisationFile,
  theirs: OrganisationFile,
  mine: OrganisationFile,
  keepsTheirs: (index: number) => boolean = () => false,
): { readonly file: OrganisationFile; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];

  function merge([baseValue, theirValue, myValue]: Sides, trail: Trail): unknown {
    if (isDeepStrictEqual(myValue, baseValue)) return theirValue;
    if (isDeepStrictEqual(theirValue, baseValue) || isDeepStrictEqual(theirValue, myValue)) return myValue;
    const last = trail.at(-1);
    const partsOf = (value: unknown) => childrenOf(typeof last === "string" ? last : undefined, value);
    const baseParts = baseValue === undefined ? new Map() : partsOf(baseValue);
    const [theirParts, myParts] = [partsOf(theirValue), partsOf(myValue)];
    if (!baseParts || !theirParts || !myParts || Array.isArray(theirValue) !== Array.isArray(myValue)) {
      conflicts.push({ ...splitTrail(trail), base: baseValue, theirs: theirValue, mine: myValue });
      return keepsTheirs(conflicts.length - 1) ? theirValue : myValue;
    }
    const trailTo = (name: string): Trail =>
      Array.isArray(myValue) && typeof last === "string" ? [...trail.slice(0, -1), { list: last, name }] : [...trail, name];
    const merged = [...new Set(mergedOrder(baseParts, theirParts, myParts))].flatMap((name): [string, unknown][] => {
      const value = merge([baseParts.get(name), theirParts.get(name), myParts.get(name)], trailTo(name));
      return value === undefined ? [] : [[name, value]];
    });
    return Array.isArray(myValue) ? merged.map(([, value]) => value) : Object.fromEntries(merged);
  }

  return { file: merge([base, theirs, mine], []) as OrganisationFile, conflicts };
}

const childrenOf = (list: string | undefined, value: unknown): Children | undefined =>
  Array.isArray(value) ? entriesByName(list ?? "", value) : isObject(value) ? new Map(Object.entries(value)) : undefined;

/** The names in my order if I have reordered them, else in theirs, then the names that only the other side has. */
function mergedOrder(base: Children, theirs: Children, mine: Children): string[] {
  const common = (names: Children) => [...names.keys()].filter((name) => base.has(name) && theirs.has(name) && mine.has(name));
  const haveIReordered = !isDeepStrictEqual(common(mine), common(base));
  return haveIReordered ? [...mine.keys(), ...theirs.keys()] : [...theirs.keys(), ...mine.keys()];
}
