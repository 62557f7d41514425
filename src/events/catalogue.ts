// Applies the entry events of a catalogue change to the organisation's file. Commands and the projection use the same code, so that the
// table agrees with the stream.
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

const idOf = (section: CatalogueSection, entry: Entry): string =>
  String(section === "customFields" ? entry["key"] : section === "unusual" ? section : entry["id"]);

/** A put entry takes its `index`; the unchanged entries fill the other places in their old order. */
export function changeCatalogue(file: CatalogueFile | undefined, changes: readonly CatalogueChange[]): CatalogueFile {
  const of = (section: CatalogueSection) => changes.filter(({ data }) => data.section === section);
  const single = (section: "organisation" | "unusual") =>
    of(section).reduce((_, { type, data }) => (type === "CatalogueEntryPut" ? data.entry : undefined), file?.[section]);
  const [organisation = {}, unusual] = [single("organisation"), single("unusual")];
  const lists = listSections.map((section) => [section, changeList(section, file?.[section] ?? [], of(section))] as const);
  return { organisation, ...(unusual && { unusual }), ...(Object.fromEntries(lists) as { [S in ListSection]: Entry[] }) };
}

function changeList(section: ListSection, before: readonly Entry[], changes: readonly CatalogueChange[]): readonly Entry[] {
  if (changes.length === 0) return before;
  const touched = new Set(changes.map(({ data }) => data.id));
  const untouched = before.filter((entry) => !touched.has(idOf(section, entry)));
  const puts = changes.flatMap((change) => (change.type === "CatalogueEntryPut" ? [change.data] : []));
  const placed = new Map(puts.map(({ index, entry }) => [index, entry]));
  return Array.from({ length: untouched.length + placed.size }, (_, index) => placed.get(index) ?? (untouched.shift() as Entry));
}

/** The entry events that lead from one file to the next; none when they are equal. */
export function catalogueChanges(before: CatalogueFile | undefined, after: CatalogueFile): CatalogueChange[] {
  const organisation = isDeepStrictEqual(before?.organisation, after.organisation) ? [] : [put("organisation", after.organisation, 0)];
  const lists = listSections.flatMap((section) => listChanges(section, before?.[section] ?? [], after[section]));
  if (isDeepStrictEqual(before?.unusual, after.unusual)) return [...organisation, ...lists];
  const unusual = after.unusual ? put("unusual", after.unusual, 0) : removed("unusual", "unusual");
  return [...organisation, ...lists, unusual];
}

function listChanges(section: ListSection, before: readonly Entry[], after: readonly Entry[]): CatalogueChange[] {
  const old = new Map(before.map((entry, index) => [idOf(section, entry), { entry, index }]));
  let reached = -1;
  const puts = after.flatMap((entry, index) => {
    const known = old.get(idOf(section, entry));
    old.delete(idOf(section, entry));
    // Unchanged entries must keep their order; an entry that moved up is put again.
    if (!known || known.index < reached || !isDeepStrictEqual(known.entry, entry)) return [put(section, entry, index)];
    reached = known.index;
    return [];
  });
  return [...puts, ...[...old.keys()].map((id) => removed(section, id))];
}

const removed = (section: CatalogueSection, id: string): CatalogueChange => ({ type: "CatalogueEntryRemoved", data: { section, id } });

const put = (section: CatalogueSection, entry: Entry, index: number): CatalogueChange => ({
  type: "CatalogueEntryPut",
  data: { section, id: idOf(section, entry), index, entry },
});

/** A catalogue while its stream is read. */
export interface CatalogueState {
  /** Undefined before the first CatalogueApplied: the organisation does not exist yet. */
  file: CatalogueFile | undefined;
  version: number;
  /** Entry events since the last CatalogueApplied. */
  open: { readonly revision: Revision; readonly change: CatalogueChange }[];
}

export const emptyCatalogue = (): CatalogueState => ({ file: undefined, version: 0, open: [] });

export type CatalogueEvent = Extract<EventOn<"organisation">, { readonly type: `Catalogue${string}` }>;

/** Changes the state it is given. Entry events count only when CatalogueApplied follows; those of an interrupted change never count. */
export function evolveCatalogue(state: CatalogueState, event: CatalogueEvent, revision: Revision): void {
  if (event.type !== "CatalogueApplied") {
    state.open.push({ revision, change: event });
    return;
  }
  const since = BigInt(event.data.sinceRevision);
  const counted = state.open.filter((each) => each.revision >= since).map(({ change }) => change);
  state.file = changeCatalogue(state.file, counted);
  state.version = event.data.version;
  state.open = [];
}

/** One version of an organisation's catalogue, from its stream; undefined when there is no such version. */
export async function catalogueFileAt(organisationId: string, version: number, events: EventStore): Promise<OrganisationFile | undefined> {
  const state = emptyCatalogue();
  for await (const stored of events.read(streamOf.organisation(organisationId))) {
    const event = decodeOn("organisation", stored);
    if (event && isOfCatalogue(event)) evolveCatalogue(state, event, stored.revision);
    if (state.version === version) return state.file as OrganisationFile | undefined;
  }
  return undefined;
}

const isOfCatalogue = (event: EventOn<"organisation">): event is CatalogueEvent => event.type.startsWith("Catalogue");
