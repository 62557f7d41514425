// Converts between an organisation's file and the events of catalogue changes: finds the events that lead from one file to the next, and
// applies them. Commands and the projection share this code, so that the table agrees with the stream.
import { isDeepStrictEqual } from "node:util";
import type { OrganisationFile } from "../domain/catalogue/schema.js";
import type { EventStore, Revision } from "../ports/eventStore.js";
import { decodeOn } from "./codec.js";
import { type CatalogueSection, catalogueSections } from "./organisationEvents.js";
import type { EventOn } from "./registry.js";
import { streamOf } from "./streams.js";

type Entry = Record<string, unknown>;
type ListSection = Exclude<CatalogueSection, "organisation" | "unusual">;

/** The file as plain JSON; src/domain/catalogue has its full shape. */
export type CatalogueFile = { readonly organisation: Entry; readonly unusual?: Entry | undefined } & {
  readonly [S in ListSection]: readonly Entry[];
};

export type CatalogueChange = Extract<CatalogueEvent, { readonly type: `CatalogueEntry${string}` }>;

const listSections = catalogueSections.filter((section): section is ListSection => section !== "organisation" && section !== "unusual");

const idIn = (section: CatalogueSection, entry: Entry): string =>
  String(section === "customFields" ? entry["key"] : section === "unusual" ? section : entry["id"]);

/** Each put entry is placed at its `index`. The unchanged entries fill the other places in their old order. */
export function applyCatalogueChanges(file: CatalogueFile | undefined, changes: readonly CatalogueChange[]): CatalogueFile {
  const changesOf = (section: CatalogueSection) => changes.filter(({ data }) => data.section === section);
  const singleEntry = (section: "organisation" | "unusual") =>
    changesOf(section).reduce((_, { type, data }) => (type === "CatalogueEntryPut" ? data.entry : undefined), file?.[section]);
  const [organisation = {}, unusual] = [singleEntry("organisation"), singleEntry("unusual")];
  const lists = listSections.map((section) => [section, changeList(section, file?.[section] ?? [], changesOf(section))] as const);
  return { organisation, ...(unusual && { unusual }), ...(Object.fromEntries(lists) as { [S in ListSection]: Entry[] }) };
}

function changeList(section: ListSection, before: readonly Entry[], changes: readonly CatalogueChange[]): readonly Entry[] {
  if (changes.length === 0) return before;
  const changedIds = new Set(changes.map(({ data }) => data.id));
  const unchanged = before.filter((entry) => !changedIds.has(idIn(section, entry)));
  const puts = changes.flatMap((change) => (change.type === "CatalogueEntryPut" ? [change.data] : []));
  const entryAt = new Map(puts.map(({ index, entry }) => [index, entry]));
  return Array.from({ length: unchanged.length + entryAt.size }, (_, index) => entryAt.get(index) ?? (unchanged.shift() as Entry));
}

/** The entry events that lead from one file to the next; none if the files are equal. */
export function listCatalogueChanges(before: CatalogueFile | undefined, after: CatalogueFile): CatalogueChange[] {
  const organisation = isDeepStrictEqual(before?.organisation, after.organisation) ? [] : [putEntry("organisation", after.organisation, 0)];
  const lists = listSections.flatMap((section) => listChanges(section, before?.[section] ?? [], after[section]));
  if (isDeepStrictEqual(before?.unusual, after.unusual)) return [...organisation, ...lists];
  const unusual = after.unusual ? putEntry("unusual", after.unusual, 0) : removedEntry("unusual", "unusual");
  return [...organisation, ...lists, unusual];
}

function listChanges(section: ListSection, before: readonly Entry[], after: readonly Entry[]): CatalogueChange[] {
  const old = new Map(before.map((entry, index) => [idIn(section, entry), { entry, index }]));
  let lastOldIndex = -1;
  const puts = after.flatMap((entry, index) => {
    const known = old.get(idIn(section, entry));
    old.delete(idIn(section, entry));
    // Unchanged entries must keep their order; an entry that moved up is put again.
    if (!known || known.index < lastOldIndex || !isDeepStrictEqual(known.entry, entry)) return [putEntry(section, entry, index)];
    lastOldIndex = known.index;
    return [];
  });
  return [...puts, ...[...old.keys()].map((id) => removedEntry(section, id))];
}

const removedEntry = (section: CatalogueSection, id: string): CatalogueChange => ({ type: "CatalogueEntryRemoved", data: { section, id } });

const putEntry = (section: CatalogueSection, entry: Entry, index: number): CatalogueChange => ({
  type: "CatalogueEntryPut",
  data: { section, id: idIn(section, entry), index, entry },
});

/** A catalogue's state while its stream is read. */
export interface CatalogueState {
  /** Undefined before the first CatalogueApplied: the organisation does not exist yet. */
  file: CatalogueFile | undefined;
  version: number;
  /** Entry events since the last CatalogueApplied. */
  pendingChanges: { readonly revision: Revision; readonly change: CatalogueChange }[];
}

export const emptyCatalogue = (): CatalogueState => ({ file: undefined, version: 0, pendingChanges: [] });

export type CatalogueEvent = Extract<EventOn<"organisation">, { readonly type: `Catalogue${string}` }>;

/** Mutates the state. CatalogueApplied puts the entry events from its `sinceRevision` on into effect. Earlier ones were interrupted. */
export function evolveCatalogue(state: CatalogueState, event: CatalogueEvent, revision: Revision): void {
  if (event.type !== "CatalogueApplied") {
    state.pendingChanges.push({ revision, change: event });
    return;
  }
  const firstRevision = BigInt(event.data.sinceRevision);
  const changes = state.pendingChanges.filter((each) => each.revision >= firstRevision).map(({ change }) => change);
  state.file = applyCatalogueChanges(state.file, changes);
  state.version = event.data.version;
  state.pendingChanges = [];
}

/** Reads the organisation's stream up to this version of its catalogue; undefined when there is no such version. */
export async function catalogueFileAt(organisationId: string, version: number, events: EventStore): Promise<OrganisationFile | undefined> {
  const state = emptyCatalogue();
  for await (const stored of events.read(streamOf.organisation(organisationId))) {
    const event = decodeOn("organisation", stored);
    if (event && isCatalogueEvent(event)) evolveCatalogue(state, event, stored.revision);
    if (state.version === version) return state.file as OrganisationFile | undefined;
  }
  return undefined;
}

const isCatalogueEvent = (event: EventOn<"organisation">): event is CatalogueEvent => event.type.startsWith("Catalogue");
