// The organisation file as a tree of named parts, so that two files are compared, and three are merged, by name and not by position.
import { type Section, sections } from "./schema.js";

type Entry = Readonly<Record<string, unknown>>;

interface ListOfEntries {
  readonly noun: string;
  readonly name: (entry: Entry) => string;
}

const byId = (noun: string): ListOfEntries => ({ noun, name: ({ id }) => String(id) });

const entryLists: Readonly<Record<string, ListOfEntries>> = {
  customFields: { noun: "Custom field", name: ({ key }) => String(key) },
  carriers: byId("Carrier"),
  services: byId("Service"),
  zoneMaps: byId("Zone map"),
  rateCards: byId("Rate card"),
  customers: byId("Customer"),
  lanes: { noun: "lane", name: ({ from, to }) => `${from} to ${to}` },
  breaks: { noun: "break", name: ({ fromKg }) => `from ${fromKg} kg` },
  surcharges: { noun: "surcharge", name: ({ key }) => String(key) },
  zones: { noun: "zone", name: ({ zone, country }) => `${zone} (${country})` },
};

/** The noun for a list's entries, such as `Carrier`; undefined for a list of plain values. */
export const nounOf = (list: string): string | undefined => entryLists[list]?.noun;

/** One step down the tree: a field, or an entry of a list by its name. A plain value's name is its JSON. */
export type Step = string | { readonly list: string; readonly name: string };
/** The steps from the file, or from one of its entries, down to a part. */
export type Trail = readonly Step[];

export type Children = ReadonlyMap<string, unknown>;

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);

const nameOf = (list: string, entry: unknown): string => entryLists[list]?.name(entry as Entry) ?? JSON.stringify(entry);

/** The entries of a list by their names; undefined if two entries have the same name. */
export function entriesByName(list: string, entries: readonly unknown[]): Children | undefined {
  const found = new Map(entries.map((entry) => [nameOf(list, entry), entry]));
  return found.size < entries.length ? undefined : found;
}

/** Converts a path such as `rateCards.0.lanes.3.basic` into a trail. */
export function trailOf(file: unknown, path: string): Trail {
  const trail: Step[] = [];
  let value = file;
  for (const key of path.split(".")) {
    const list = trail.at(-1);
    const child = isObject(value) || Array.isArray(value) ? (value as Entry)[key] : undefined;
    if (Array.isArray(value) && typeof list === "string" && child !== undefined) trail.splice(-1, 1, { list, name: nameOf(list, child) });
    else trail.push(key);
    value = child;
  }
  return trail;
}

/** Splits a trail that begins at the file: the entry, and the trail within it. */
export function splitTrail([first, ...trail]: Trail): { section: "organisation" | Section; id: string | undefined; trail: Trail } {
  const isSection = (step: Step | undefined): step is { list: Section; name: string } =>
    typeof step === "object" && (sections as readonly string[]).includes(step.list);
  return isSection(first) ? { section: first.list, id: first.name, trail } : { section: "organisation", id: undefined, trail };
}
