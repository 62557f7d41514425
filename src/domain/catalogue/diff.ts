import { isDeepStrictEqual } from "node:util";
import { fieldsOfSection, valueInWords } from "./fields.js";
import { type OrganisationFile, type Section, sections } from "./schema.js";
import { entriesByName, isObject, nounOf, type Step, splitTrail, type Trail, trailOf } from "./tree.js";

export interface CatalogueDifference {
  readonly section: "organisation" | Section;
  /** Of the entry; undefined for the organisation's own fields, and where the whole list has changed, such as its order. */
  readonly id: string | undefined;
  readonly kind: "added" | "removed" | "changed";
  /** What has changed in it; undefined for an entry that was added or removed. */
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

/** `lane SYD to MEL: perKg 0.42 -> 0.45`. */
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
  const at = [...parts, ...(path.length > 0 ? [path.join(".")] : [])].join(": ");
  return kind === "changed" ? `${at} ${asJson(from)} -> ${asJson(to)}` : `${at} ${kind}`;
}

const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}...` : text);
const asJson = (value: unknown): string => (value === undefined ? "nothing" : cut(JSON.stringify(value)));

/** `Per kg, SYD to MEL: 0.42 -> 0.45`; of a whole entry or list nothing. */
export function changeInWords({ section, change }: CatalogueDifference): string {
  if (!change) return "";
  const { trail, kind, from, to } = change;
  if (kind === "changed")
    return `${placeInWords(section, trail)}: ${partInWords(section, trail, from)} -> ${partInWords(section, trail, to)}`;
  const last = trail.at(-1);
  const isPlainValue = typeof last === "object" && nounOf(last.list) === undefined; // its name is its JSON (`Step`)
  return isPlainValue ? `${placeInWords(section, trail)}: ${JSON.parse(last.name)} ${kind}` : `${placeInWords(section, trail)} ${kind}`;
}

/** `Per kg, SYD to MEL`; `Lane SYD to MEL`. */
export function placeInWords(section: CatalogueDifference["section"], trail: Trail): string {
  const names = trail.flatMap((step) => (typeof step === "string" || !nounOf(step.list) ? [] : [step.name]));
  const last = trail.at(-1);
  const noun = typeof last === "object" ? nounOf(last.list) : undefined;
  if (noun) return [`${noun[0]?.toUpperCase()}${noun.slice(1)} ${names.pop()}`, ...names.reverse()].join(", ");
  return [fieldAt(section, trail)?.label ?? (typeof last === "string" ? last : "List"), ...names.reverse()].join(", ");
}

export const partInWords = (section: CatalogueDifference["section"], trail: Trail, value: unknown): string =>
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

/** Entries are compared by their names, so that a lane in a new place is not taken for another lane. */
function listChanges(list: string, trail: Trail, before: readonly unknown[], after: readonly unknown[]): FieldChange[] {
  const [oldEntries, newEntries] = [entriesByName(list, before), entriesByName(list, after)];
  if (!oldEntries || !newEntries) return fieldChanges({ ...before }, { ...after }, [...trail, list]);
  const at = (name: string): Trail => [...trail, { list, name }];
  const changes = [...newEntries].flatMap(([name, entry]): FieldChange[] => {
    const was = oldEntries.get(name);
    if (was === undefined) return [{ trail: at(name), kind: "added" }];
    return isObject(was) && isObject(entry) ? fieldChanges(was, entry, at(name)) : [];
  });
  const removed = [...oldEntries.keys()].filter((name) => !newEntries.has(name));
  changes.push(...removed.map((name) => ({ trail: at(name), kind: "removed" }) as const));
  const isReordered = changes.length === 0 && !isDeepStrictEqual([...oldEntries.keys()], [...newEntries.keys()]);
  return isReordered ? [{ trail: [...trail, list], kind: "reordered" }] : changes;
}

/** A fault of `parseOrganisationFile` with names in place of its paths; those within `own` are not named again. */
export function faultInWords(file: unknown, fault: string, own = ""): string {
  const text = fault.replaceAll(/\b\w+(?:\.\w+)+/g, (path) => {
    const [section = ""] = path.split(".");
    if (section !== "organisation" && !(sections as readonly string[]).includes(section)) return path;
    const { trail, ...entry } = splitTrail(trailOf(file, path));
    const last = trail.at(-1);
    const place =
      trail.length === 0 ? "" : `${placeInWords(entry.section, trail)}${typeof last === "object" && !nounOf(last.list) ? ":" : ""}`;
    if (own !== "" && `${path}.`.startsWith(`${own}.`)) return place;
    return place === "" ? subjectOf(entry) : `${subjectOf(entry)}: ${place}`;
  });
  return `${text.trim()}.`;
}
