import { isDeepStrictEqual } from "node:util";
import { fieldsOfSection, valueInWords } from "./fields.js";
import { type OrganisationFile, type Section, sections } from "./schema.js";
import { entriesByName, isObject, nounOf, type Step, splitTrail, type Trail, trailOf } from "./tree.js";

export interface CatalogueDifference {
  readonly section: "organisation" | Section;
  /** The entry's id. Undefined for the organisation's own fields, and for a change of the whole list, such as its order. */
  readonly id: string | undefined;
  readonly kind: "added" | "removed" | "changed";
  /** The change within the entry. Absent for an entry that was added or removed. */
  readonly change?: FieldChange;
}

export interface FieldChange {
  readonly trail: Trail;
  readonly kind: "changed" | "added" | "removed" | "reordered";
  readonly from?: unknown;
  readonly to?: unknown;
}

/** One sentence for each difference, as `CatalogueApplied` records them. */
export function differencesInSentences(before: OrganisationFile | undefined, after: OrganisationFile): string[] {
  const created = before ? [] : [`Organisation ${after.organisation.id} created`];
  return [...created, ...catalogueDifferences(before, after).map(recordedSentence)];
}

export function catalogueDifferences(before: OrganisationFile | undefined, after: OrganisationFile): CatalogueDifference[] {
  const organisationIn = ({ organisation, unusual }: OrganisationFile) => ({ ...organisation, unusual });
  const organisationChanges = before ? fieldChanges(organisationIn(before), organisationIn(after)) : [];
  return [
    ...organisationChanges.map((change) => ({ section: "organisation", id: undefined, kind: "changed", change }) as const),
    ...sections.flatMap((section) => entryDifferences(section, before?.[section] ?? [], after[section])),
  ];
}

/** The thing that a difference is about, such as `Customer CUST-001`. */
export function subjectOf({ section, id }: Pick<CatalogueDifference, "section" | "id">): string {
  if (section === "organisation") return "Organisation";
  return `${nounOf(section)} ${id ?? "list"}`;
}

function recordedSentence(difference: CatalogueDifference): string {
  const { kind, change, id, section } = difference;
  if (!change) return `${subjectOf(difference)} ${kind}`;
  if (id === undefined && section !== "organisation") return `${subjectOf(difference)} ${change.kind}`;
  return `${subjectOf(difference)}: ${recordedChange(change)}`;
}

/** Such as `lane SYD to MEL: perKg 0.42 -> 0.45`. */
function recordedChange({ trail, kind, from, to }: FieldChange): string {
  const parts: string[] = [];
  let path: string[] = [];
  for (const step of trail) {
    if (typeof step === "string") path.push(step);
    else {
      const noun = nounOf(step.list);
      parts.push(noun ? `${noun} ${step.name}` : `${[...path, step.list].join(".")} ${cut(step.name)}`);
      path = [];
    }
  }
  const place = [...parts, ...(path.length > 0 ? [path.join(".")] : [])].join(": ");
  return kind === "changed" ? `${place} ${asJson(from)} -> ${asJson(to)}` : `${place} ${kind}`;
}

const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}...` : text);
const asJson = (value: unknown): string => (value === undefined ? "nothing" : cut(JSON.stringify(value)));

/** Such as `Per kg, SYD to MEL: 0.42 -> 0.45`. Empty for an entry that was added or removed. */
export function changeInWords({ section, change }: CatalogueDifference): string {
  if (!change) return "";
  const { trail, kind, from, to } = change;
  if (kind === "changed")
    return `${trailInWords(section, trail)}: ${fieldValueInWords(section, trail, from)} -> ${fieldValueInWords(section, trail, to)}`;
  const last = trail.at(-1);
  const isPlainValue = typeof last === "object" && nounOf(last.list) === undefined; // a plain value's name is its JSON, see `Step`
  return isPlainValue ? `${trailInWords(section, trail)}: ${JSON.parse(last.name)} ${kind}` : `${trailInWords(section, trail)} ${kind}`;
}

/** Such as `Per kg, SYD to MEL` or `Lane SYD to MEL`. */
export function trailInWords(section: CatalogueDifference["section"], trail: Trail): string {
  const names = trail.flatMap((step) => (typeof step === "string" || !nounOf(step.list) ? [] : [step.name]));
  const last = trail.at(-1);
  const noun = typeof last === "object" ? nounOf(last.list) : undefined;
  if (noun) return [`${noun[0]?.toUpperCase()}${noun.slice(1)} ${names.pop()}`, ...names.reverse()].join(", ");
  return [fieldAt(section, trail)?.label ?? (typeof last === "string" ? last : "List"), ...names.reverse()].join(", ");
}

export const fieldValueInWords = (section: CatalogueDifference["section"], trail: Trail, value: unknown): string =>
  valueInWords(fieldAt(section, trail), value);

const keyOf = (step: Step): string => (typeof step === "string" ? step : step.list);

function fieldAt(section: CatalogueDifference["section"], trail: Trail) {
  const [first, ...rest] = trail.map(keyOf);
  const top = fieldsOfSection(section).find(({ key }) => key === first);
  return rest.reduce((field, key) => field?.fields.find((inner) => inner.key === key), top);
}

function entryDifferences(section: Section, before: readonly object[], after: readonly object[]): CatalogueDifference[] {
  return listChanges(section, [], before, after).map(({ trail: [entry, ...trail], kind, ...values }) => {
    const id = typeof entry === "object" ? entry.name : undefined;
    if (trail.length === 0 && (kind === "added" || kind === "removed")) return { section, id, kind };
    return { section, id, kind: "changed", change: { trail, kind, ...values } };
  });
}

function fieldChanges(before: object, after: object, trail: Trail = []): FieldChange[] {
  const [oldFields, newFields] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))];
  return [...new Set([...oldFields.keys(), ...newFields.keys()])].flatMap((key) => {
    const [from, to] = [oldFields.get(key), newFields.get(key)];
    if (isDeepStrictEqual(from, to)) return [];
    if (Array.isArray(from) && Array.isArray(to)) return listChanges(key, trail, from, to);
    if (isObject(from) && isObject(to)) return fieldChanges(from, to, [...trail, key]);
    return [{ trail: [...trail, key], kind: "changed", from, to }];
  });
}

/** Compares entries by name, so that a lane that moved is not taken for another lane; by index if two entries have one name. */
function listChanges(list: string, trail: Trail, before: readonly unknown[], after: readonly unknown[]): FieldChange[] {
  const [oldEntries, newEntries] = [entriesByName(list, before), entriesByName(list, after)];
  if (!oldEntries || !newEntries) return fieldChanges({ ...before }, { ...after }, [...trail, list]);
  const trailTo = (name: string): Trail => [...trail, { list, name }];
  const changes = [...newEntries].flatMap(([name, entry]): FieldChange[] => {
    const oldEntry = oldEntries.get(name);
    if (oldEntry === undefined) return [{ trail: trailTo(name), kind: "added" }];
    return isObject(oldEntry) && isObject(entry) ? fieldChanges(oldEntry, entry, trailTo(name)) : [];
  });
  const removed = [...oldEntries.keys()].filter((name) => !newEntries.has(name));
  changes.push(...removed.map((name) => ({ trail: trailTo(name), kind: "removed" }) as const));
  const isReordered = changes.length === 0 && !isDeepStrictEqual([...oldEntries.keys()], [...newEntries.keys()]);
  return isReordered ? [{ trail: [...trail, list], kind: "reordered" }] : changes;
}

/** Replaces the paths in a fault of `parseOrganisationFile` by names. Does not name the entry at `entryPath`, which the reader edits. */
export function faultInWords(file: unknown, fault: string, entryPath = ""): string {
  const text = fault.replaceAll(/\b\w+(?:\.\w+)+/g, (path) => {
    const [section = ""] = path.split(".");
    if (section !== "organisation" && !(sections as readonly string[]).includes(section)) return path;
    const { trail, ...entry } = splitTrail(trailOf(file, path));
    const last = trail.at(-1);
    const place =
      trail.length === 0 ? "" : `${trailInWords(entry.section, trail)}${typeof last === "object" && !nounOf(last.list) ? ":" : ""}`;
    if (entryPath !== "" && `${path}.`.startsWith(`${entryPath}.`)) return place;
    return place === "" ? subjectOf(entry) : `${subjectOf(entry)}: ${place}`;
  });
  return `${text.trim()}.`;
}
