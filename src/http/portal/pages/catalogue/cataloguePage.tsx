import { fieldsOfSection } from "../../../../domain/catalogue/fields.js";
import type { Section } from "../../../../domain/catalogue/schema.js";
import { idOf } from "../../../../domain/catalogue/uses.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { inWords } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { ButtonLink, EmptyState } from "../../shell/parts.js";
import { type PresentCatalogue, presentCatalogue } from "../customers.js";
import * as addresses from "./addresses.js";
import { columnOf, entryColumns } from "./entryColumns.js";

const { sectionNames, tabOrder, pluralOf, capitalised } = addresses;
const sectionIn = ({ query }: SignedInVisit) => tabOrder.find((each) => sectionNames[each].folder === query["list"]) ?? "customers";

/** Everything that prices and judges: one list at a time, with a search. */
export const catalogueList = listPage<addresses.Entry>({
  path: addresses.cataloguePath,
  access: "look",
  title: "Catalogue",
  of: (visit) => addresses.namesOf(sectionIn(visit)),
  caption: "Entries of the catalogue",
  kept: ["list"],
  action: (visit) => {
    const section = sectionIn(visit);
    const to = addresses.addPath(section);
    return visit.may("catalogue") ? <ButtonLink to={to} label={`Add ${sectionNames[section].noun}`} /> : null;
  },
  head: async (visit, deps) => {
    const { file, catalogueVersion } = await presentCatalogue(visit, deps);
    const menu = [
      { label: `All versions (now ${catalogueVersion})`, to: addresses.versionsPath },
      { label: "Download organisation file", to: addresses.downloadPath(catalogueVersion), download: "" },
      { label: "Upload organisation file", to: addresses.catalogueUploadPath },
      { label: "Change organisation", to: addresses.organisationPath },
    ];
    return {
      menu: menu.slice(0, visit.may("catalogue") ? 4 : 2),
      views: tabOrder.map((tab) => ({
        label: `${capitalised(pluralOf(tab))} (${file[tab].length})`,
        to: addresses.listPath(tab),
        current: tab === sectionIn(visit),
      })),
    };
  },
  filters: () => [{ name: "search", label: "Find", kind: "text", maxlength: 100 }],
  readRows: async (visit, _, deps) => {
    const [view, section] = [await presentCatalogue(visit, deps), sectionIn(visit)];
    const words = (visit.query["search"] ?? "").trim().slice(0, 100).toLowerCase().split(/\s+/);
    const textOf = searchTextOf(view, section);
    const fits = (entry: addresses.Entry) => words.every((word) => textOf(entry).includes(word));
    return { items: (view.file[section] as readonly addresses.Entry[]).filter(fits), nextCursor: null };
  },
  columns: async (visit, deps) => entryColumns(await presentCatalogue(visit, deps), sectionIn(visit)),
  empty: (visit, why) => <EmptyState title={`No ${pluralOf(sectionIn(visit))} ${why === "none" ? "yet" : "match this search"}`} />,
});

/** What a search looks at: the ids and names of an entry and of what it refers to, in small letters. */
function searchTextOf(view: PresentCatalogue, section: Section): (entry: addresses.Entry) => string {
  // Thousands of customers share a carrier: its name would find them all.
  const referring = section === "customers" ? [] : fieldsOfSection(section).filter(({ refers }) => refers);
  const columns = referring.map((field) => columnOf(view, field));
  return (entry) => {
    const others = columns.map(({ value }) => inWords(value(entry), "UTC"));
    const zones = "zones" in entry ? entry.zones.map(({ zone }) => zone) : [];
    return [idOf(entry), addresses.nameOfEntry(entry), ...others, ...zones].join(" ").toLowerCase();
  };
}
