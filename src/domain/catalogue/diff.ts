import type { OrganisationFile } from "./schema.js";

const sections = {
  customFields: { noun: "Custom field", id: (entry: { key: string }) => entry.key },
  carriers: { noun: "Carrier", id: (entry: { id: string }) => entry.id },
  services: { noun: "Service", id: (entry: { id: string }) => entry.id },
  zoneMaps: { noun: "Zone map", id: (entry: { id: string }) => entry.id },
  rateCards: { noun: "Rate card", id: (entry: { id: string }) => entry.id },
  customers: { noun: "Customer", id: (entry: { id: string }) => entry.id },
};

/** What changed, one sentence each; empty when nothing did. */
export function diffCatalogue(before: OrganisationFile | undefined, after: OrganisationFile): string[] {
  const changes = before
    ? fieldChanges(before.organisation, after.organisation).map((change) => `Organisation: ${change}`)
    : [`Organisation ${after.organisation.id} created`];
  for (const key of Object.keys(sections) as (keyof typeof sections)[]) {
    const { noun, id } = sections[key] as { noun: string; id: (entry: object) => string };
    changes.push(...entryChanges(noun, id, before?.[key] ?? [], after[key]));
  }
  return changes;
}

function entryChanges(noun: string, idOf: (entry: object) => string, before: readonly object[], after: readonly object[]): string[] {
  const old = new Map(before.map((entry) => [idOf(entry), entry]));
  const changes = after.flatMap((entry) => {
    const id = idOf(entry);
    const was = old.get(id);
    old.delete(id);
    if (!was) return [`${noun} ${id} added`];
    return fieldChanges(was, entry).map((change) => `${noun} ${id}: ${change}`);
  });
  changes.push(...[...old.keys()].map((id) => `${noun} ${id} removed`));
  const order = (entries: readonly object[]): string => JSON.stringify(entries.map(idOf));
  if (changes.length === 0 && order(before) !== order(after)) changes.push(`${noun} list reordered`);
  return changes;
}

function fieldChanges(before: object, after: object, path = ""): string[] {
  const [old, now] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [from, to] = [old.get(key), now.get(key)];
    const at = path === "" ? key : `${path}.${key}`;
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    if (isObject(from) && isObject(to) && Array.isArray(from) === Array.isArray(to)) return fieldChanges(from, to, at);
    return [`${at} ${shown(from)} -> ${shown(to)}`];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
