// The paths of the catalogue's pages, and the lookup of the entry that a path names.
import type { OrganisationFile, Section } from "../../../../domain/catalogue/schema.js";
import { entryId } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { idFromPath, idInPath, type Noun } from "../../shell/markup.js";

export const cataloguePath = "/portal/catalogue";
export const versionsPath = `${cataloguePath}/versions`;
export const changesPath = `${cataloguePath}/changes`;
export const catalogueUploadPath = `${cataloguePath}/upload`;
export const applyPath = `${cataloguePath}/apply`;
export const organisationPath = `${cataloguePath}/organisation`;
export const downloadRoute = `${cataloguePath}/organisation.json`;

/** The path that downloads the organisation file of a version. */
export const downloadPath = (version: number): string => `${downloadRoute}?version=${version}`;

/** By section, in the order of the tabs: the part of its paths, the path parameter for an entry's id, and what an entry is called. */
export const sectionNames = {
  customers: { folder: "customers", parameter: "customerId", noun: "customer" },
  carriers: { folder: "carriers", parameter: "carrierId", noun: "carrier" },
  services: { folder: "services", parameter: "serviceId", noun: "service" },
  zoneMaps: { folder: "zone-maps", parameter: "zoneMapId", noun: "zone map" },
  rateCards: { folder: "rate-cards", parameter: "rateCardId", noun: "rate card" },
  customFields: { folder: "custom-fields", parameter: "fieldKey", noun: "custom field" },
} as const satisfies Record<Section, object>;

export const tabOrder = Object.keys(sectionNames) as Section[];
export type EntryOf<S extends Section> = OrganisationFile[S][number];
export type Entry = EntryOf<Section>;

export const pluralOf = (section: Section): string => `${sectionNames[section].noun}s`;
export const namesOf = (section: Section): Noun => [sectionNames[section].noun, pluralOf(section)];
export const capitalised = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
export const nameOfEntry = (entry: Entry): string => ("name" in entry ? entry.name : "label" in entry ? entry.label : entry.id);

const newEntrySegment = "new";
export const addPath = (section: Section): string => `${cataloguePath}/${sectionNames[section].folder}/${newEntrySegment}`;
export const listPath = (section: Section): string => `${cataloguePath}?list=${sectionNames[section].folder}`;
/** The route of the section's entry pages, with a parameter for the entry's id. */
export const entryRoute = (section: Section): string =>
  `${cataloguePath}/${sectionNames[section].folder}/{${sectionNames[section].parameter}}`;
export const entryPath = (section: Section, id: string): string => `${cataloguePath}/${sectionNames[section].folder}/${idInPath(id)}`;

/** Finds the entry whose id is in the visited path. Throws if the organisation's file has no such entry. */
export function requireEntry<S extends Section>({ params }: SignedInVisit, file: OrganisationFile, section: S): EntryOf<S> {
  const { parameter, noun } = sectionNames[section];
  const id = idFromPath(params[parameter]);
  const found = (file[section] as readonly EntryOf<S>[]).find((entry) => entryId(entry) === id);
  if (!found) throw new Rejection("notFound", `There is no such ${noun} in the catalogue`);
  return found;
}

/** Lists within an entry, whose items have their own forms. A path has the item's place in the list, counted from 1. */
export const partLists = {
  zones: { section: "zoneMaps", noun: "zone", folder: "zones" },
  surcharges: { section: "rateCards", noun: "surcharge", folder: "surcharges" },
} as const;
export type PartList = keyof typeof partLists;

export const partPath = (list: PartList, ownerId: string, place: number | typeof newEntrySegment): string =>
  `${entryPath(partLists[list].section, ownerId)}/${partLists[list].folder}/${place}`;
export const partRoute = (list: PartList, lastSegment: string): string =>
  `${entryRoute(partLists[list].section)}/${partLists[list].folder}/${lastSegment}`;
