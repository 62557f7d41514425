// Two people change one version of a catalogue: what only one of them has changed stands, and what both have changed differently is asked about.
import { isDeepStrictEqual } from "node:util";
import type { CatalogueDifference } from "./diff.js";
import type { OrganisationFile } from "./schema.js";
import { type Children, entriesByName, isObject, splitTrail, type Trail } from "./tree.js";

/** What both have changed, in different ways. A value is undefined where it was removed. */
export interface Conflict extends Pick<CatalogueDifference, "section" | "id"> {
  /** Within the entry; empty for the entry itself. */
  readonly trail: Trail;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

type Sides = readonly [base: unknown, theirs: unknown, mine: unknown];

/** `keepsTheirs` decides a conflict by its place among the conflicts. */
export function mergeCatalogues(
  base: OrganisationFile,
  theirs: OrganisationFile,
  mine: OrganisationFile,
  keepsTheirs: (index: number) => boolean = () => false,
): { readonly file: OrganisationFile; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];

  function merge([was, their, my]: Sides, trail: Trail): unknown {
    if (isDeepStrictEqual(my, was)) return their;
    if (isDeepStrictEqual(their, was) || isDeepStrictEqual(their, my)) return my;
    const last = trail.at(-1);
    const partsOf = (value: unknown) => childrenOf(typeof last === "string" ? last : undefined, value);
    const [old, theirParts, myParts] = [was === undefined ? new Map() : partsOf(was), partsOf(their), partsOf(my)];
    if (!old || !theirParts || !myParts || Array.isArray(their) !== Array.isArray(my)) {
      conflicts.push({ ...splitTrail(trail), base: was, theirs: their, mine: my });
      return keepsTheirs(conflicts.length - 1) ? their : my;
    }
    const within = (name: string): Trail =>
      Array.isArray(my) && typeof last === "string" ? [...trail.slice(0, -1), { list: last, name }] : [...trail, name];
    const merged = [...new Set(inOrder(old, theirParts, myParts))].flatMap((name): [string, unknown][] => {
      const value = merge([old.get(name), theirParts.get(name), myParts.get(name)], within(name));
      return value === undefined ? [] : [[name, value]];
    });
    return Array.isArray(my) ? merged.map(([, value]) => value) : Object.fromEntries(merged);
  }

  return { file: merge([base, theirs, mine], []) as OrganisationFile, conflicts };
}

const childrenOf = (list: string | undefined, value: unknown): Children | undefined =>
  Array.isArray(value) ? entriesByName(list ?? "", value) : isObject(value) ? new Map(Object.entries(value)) : undefined;

/** The order of the side that changed it, with what only the other has behind. */
function inOrder(base: Children, theirs: Children, mine: Children): string[] {
  const common = (names: Children) => [...names.keys()].filter((name) => base.has(name) && theirs.has(name) && mine.has(name));
  const isMine = !isDeepStrictEqual(common(mine), common(base));
  return isMine ? [...mine.keys(), ...theirs.keys()] : [...theirs.keys(), ...mine.keys()];
}
