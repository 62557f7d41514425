// The paths of the catalogue's pages, and the things that they name.
import type { OrganisationFile, Section } from "../../../../domain/catalogue/schema.js";
import { idOf } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { idFromPath, idInPath, type Names } from "../../shell/parts.js";

export const cataloguePath = "/portal/catalogue";
export const versionsPath = `${cataloguePath}/versions`;
export const changesPath = `${cataloguePath}/changes`;
export const catalogueUploadPath = `${cataloguePath}/upload`;
export const applyPath = `${cataloguePath}/apply`;
export const organisationPath = `${cataloguePath}/organisation`;
export const downloadRoute = `${cataloguePath}/organisation.json`;

/** The organisation file of a version, as `org apply` takes it. */
export const downloadPath = (version: number): string => `${downloadRoute}?version=${version}`;

/** In the order of the tabs. */
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
export const namesOf = (section: Section): Names => [sectionNames[section].noun, pluralOf(section)];
export const capitalised = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
export const nameOfEntry = (entry: Entry): string => ("name" in entry ? entry.name : "label" in entry ? entry.label : entry.id);

const adding = "new";
export const addPath = (section: Section): string => `${cataloguePath}/${sectionNames[section].folder}/${adding}`;
export const listPath = (section: Section): string => `${cataloguePath}?list=${sectionNames[section].folder}`;
/** The pattern of the paths of such things. */
export const entryRoute = (section: Section): string =>
  `${cataloguePath}/${sectionNames[section].folder}/{${sectionNames[section].parameter}}`;

export const entryPath = (section: Section, id: string): string => `${cataloguePath}/${sectionNames[section].folder}/${idInPath(id)}`;

/** The thing that the path names. Another organisation's is not there. */
export function requireEntry<S extends Section>({ params }: SignedInVisit, file: OrganisationFile, section: S): EntryOf<S> {
  const { parameter, noun } = sectionNames[section];
  const id = idFromPath(params[parameter]);
  const found = (file[section] as readonly EntryOf<S>[]).find((entry) => idOf(entry) === id);
  if (!found) throw new Rejection("notFound", `There is no such ${noun} in the catalogue`);
  return found;
}

/** A list within a thing, whose entries have forms of their own: by its place, from 1, in the version that the form was made from. */
export const partLists = {
  zones: { section: "zoneMaps", noun: "zone", folder: "zones" },
  surcharges: { section: "rateCards", noun: "surcharge", folder: "surcharges" },
} as const;
export type PartList = keyof typeof partLists;

export const partPath = (list: PartList, ownerId: string, place: number | typeof adding): string =>
  `${entryPath(partLists[list].section, ownerId)}/${partLists[list].folder}/${place}`;
export const partRoute = (list: PartList, last: string): string =>
  `${entryRoute(partLists[list].section)}/${partLists[list].folder}/${last}`;
