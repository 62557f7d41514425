import { isDeepStrictEqual } from "node:util";
import type { OrganisationFile } from "./schema.js";

const sections = {
  customFields: { noun: "Custom field", id: (entry: { key: string }) => entry.key },
  carriers: { noun: "Carrier", id: (entry: { id: string }) => entry.id },
  services: { noun: "Service", id: (entry: { id: string }) => entry.id },
  zoneMaps: { noun: "Zone map", id: (entry: { id: string }) => entry.id },
  rateCards: { noun: "Rate card", id: (entry: { id: string }) => entry.id },
  customers: { noun: "Customer", id: (entry: { id: string }) => entry.id },
};

type ListSection = keyof typeof sections;

export interface CatalogueDifference {
  readonly section: "organisation" | ListSection;
  /** Undefined where the whole list is meant. */
  readonly id: string | undefined;
  readonly kind: "added" | "removed" | "changed";
  /** What has changed in it; empty for what was added or removed. */
  readonly change: string;
}

/** What changed, one sentence each; empty when nothing did. */
export function diffCatalogue(before: OrganisationFile | undefined, after: OrganisationFile): string[] {
  const created = before ? [] : [`Organisation ${after.organisation.id} created`];
  return [...created, ...catalogueDifferences(before, after).map(inWords)];
}

export function catalogueDifferences(before: OrganisationFile | undefined, after: OrganisationFile): CatalogueDifference[] {
  const organisationIn = ({ organisation, unusual }: OrganisationFile) => ({ ...organisation, unusual });
  const ofOrganisation = before ? fieldChanges(organisationIn(before), organisationIn(after)) : [];
  return [
    ...ofOrganisation.map((change) => ({ section: "organisation", id: undefined, kind: "changed", change }) as const),
    ...(Object.keys(sections) as ListSection[]).flatMap((section) => entryDifferences(section, before?.[section] ?? [], after[section])),
  ];
}

/** The thing that a difference is about, such as `Customer CUST-001`. */
export function subjectOf({ section, id }: CatalogueDifference): string {
  if (section === "organisation") return "Organisation";
  const { noun } = sections[section];
  return id === undefined ? `${noun} list` : `${noun} ${id}`;
}

function inWords(difference: CatalogueDifference): string {
  const { kind, change, id, section } = difference;
  if (kind !== "changed") return `${subjectOf(difference)} ${kind}`;
  return id === undefined && section !== "organisation" ? `${subjectOf(difference)} ${change}` : `${subjectOf(difference)}: ${change}`;
}

function entryDifferences(section: ListSection, before: readonly object[], after: readonly object[]): CatalogueDifference[] {
  const idOf = sections[section].id as (entry: object) => string;
  const old = new Map(before.map((entry) => [idOf(entry), entry]));
  const differences = after.flatMap((entry): CatalogueDifference[] => {
    const id = idOf(entry);
    const was = old.get(id);
    old.delete(id);
    if (!was) return [{ section, id, kind: "added", change: "" }];
    return fieldChanges(was, entry).map((change) => ({ section, id, kind: "changed", change }));
  });
  differences.push(...[...old.keys()].map((id) => ({ section, id, kind: "removed", change: "" }) as const));
  const order = (entries: readonly object[]): string => JSON.stringify(entries.map(idOf));
  if (differences.length === 0 && order(before) !== order(after))
    differences.push({ section, id: undefined, kind: "changed", change: "reordered" });
  return differences;
}

function fieldChanges(before: object, after: object, path = ""): string[] {
  const [old, now] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [from, to] = [old.get(key), now.get(key)];
    const at = path === "" ? key : `${path}.${key}`;
    if (isDeepStrictEqual(from, to)) return [];
    if (Array.isArray(from) && Array.isArray(to)) return listChanges(key, at, from, to);
    if (isObject(from) && isObject(to) && !Array.isArray(from) && !Array.isArray(to)) return fieldChanges(from, to, at);
    return [`${at} ${shown(from)} -> ${shown(to)}`];
  });
}

type Entry = Readonly<Record<string, unknown>>;

/** How people name the entries of a list within an entry. */
const named: Readonly<Record<string, (entry: Entry) => string>> = {
  lanes: ({ from, to }) => `lane ${from} to ${to}`,
  breaks: ({ fromKg }) => `break from ${fromKg} kg`,
  surcharges: ({ key }) => `surcharge ${key}`,
  zones: ({ zone, country }) => `zone ${zone} (${country})`,
};

/** Entries are compared by their names, so that a lane in a new place is not taken for another lane. */
function listChanges(key: string, at: string, before: readonly unknown[], after: readonly unknown[]): string[] {
  const nameOf = named[key] ? (entry: unknown) => named[key]?.(entry as Entry) ?? "" : shown;
  const [old, now] = [byName(before, nameOf), byName(after, nameOf)];
  // Names that are used twice tell nothing.
  if (old.size < before.length || now.size < after.length) return fieldChanges({ ...before }, { ...after }, at);
  const prefix = named[key] ? "" : `${at} `;
  const changes = [...now].flatMap(([name, entry]) => {
    const was = old.get(name);
    if (was === undefined) return [`${prefix}${name} added`];
    return isObject(was) && isObject(entry) ? fieldChanges(was, entry).map((change) => `${name}: ${change}`) : [];
  });
  changes.push(...[...old.keys()].filter((name) => !now.has(name)).map((name) => `${prefix}${name} removed`));
  const isReordered = changes.length === 0 && !isDeepStrictEqual([...old.keys()], [...now.keys()]);
  return isReordered ? [`${at} reordered`] : changes;
}

const byName = (entries: readonly unknown[], nameOf: (entry: unknown) => string) => new Map(entries.map((entry) => [nameOf(entry), entry]));

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
