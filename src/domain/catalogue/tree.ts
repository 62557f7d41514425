// The organisation file as a tree: what its parts are called, so that two files are compared, and three are merged, by name and not by place.
import { type Section, sections } from "./schema.js";

type Entry = Readonly<Record<string, unknown>>;

interface ListOfEntries {
  readonly noun: string;
  readonly name: (entry: Entry) => string;
}

const byId = (noun: string): ListOfEntries => ({ noun, name: ({ id }) => String(id) });

const lists: Readonly<Record<string, ListOfEntries>> = {
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

/** The kind of a list's entries (`Carrier`); undefined for plain values. */
export const nounOf = (list: string): string | undefined => lists[list]?.noun;

/** A field, or an entry of a list by its name; a plain value's name is the value as JSON. */
export type Step = string | { readonly list: string; readonly name: string };
/** From the file, or an entry of it, down to a part. */
export type Trail = readonly Step[];

export type Children = ReadonlyMap<string, unknown>;

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);

const nameIn = (list: string, entry: unknown): string => lists[list]?.name(entry as Entry) ?? JSON.stringify(entry);

/** The entries of a list by their names; undefined if a name is used twice, and so tells nothing. */
export function entriesByName(list: string, entries: readonly unknown[]): Children | undefined {
  const found = new Map(entries.map((entry) => [nameIn(list, entry), entry]));
  return found.size < entries.length ? undefined : found;
}

/** Where a path such as `rateCards.0.lanes.3.basic` leads. */
export function trailOf(file: unknown, path: string): Trail {
  const trail: Step[] = [];
  let value = file;
  for (const key of path.split(".")) {
    const list = trail.at(-1);
    const child = isObject(value) || Array.isArray(value) ? (value as Entry)[key] : undefined;
    if (Array.isArray(value) && typeof list === "string" && child !== undefined) trail.splice(-1, 1, { list, name: nameIn(list, child) });
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
