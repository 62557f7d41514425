import type { SignedInVisit } from "../../pageDefinition.js";
import { ButtonLink } from "../../shell/form.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState } from "../../shell/panel.js";
import { presentCatalogue } from "../customers.js";
import {
  addPath,
  capitalised,
  cataloguePath,
  catalogueUploadPath,
  downloadPath,
  type Entry,
  listPath,
  organisationPath,
  pluralOf,
  sectionNames,
  tabOrder,
  versionsPath,
} from "./addresses.js";
import { entryColumns, searchTextOf } from "./entryColumns.js";
import { matchesSearch, searchIn } from "./listInMemory.js";

const sectionIn = ({ query }: SignedInVisit) => tabOrder.find((each) => sectionNames[each].folder === query["list"]) ?? "customers";

/** Everything that prices and judges: one list at a time, with a search. */
export const catalogueList = listPage<Entry>({
  path: cataloguePath,
  access: "look",
  title: "Catalogue",
  of: (visit) => [sectionNames[sectionIn(visit)].noun, pluralOf(sectionIn(visit))],
  caption: "Entries of the catalogue",
  kept: ["list"],
  action: (visit) => {
    const section = sectionIn(visit);
    return visit.may("catalogue") ? <ButtonLink to={visit.links.to(addPath(section))} label={`Add ${sectionNames[section].noun}`} /> : null;
  },
  head: async (visit, deps) => {
    const { catalogue, catalogueVersion: version } = await presentCatalogue(visit, deps);
    const menu = [
      { label: `All versions (now ${version})`, to: versionsPath },
      { label: "Download organisation file", to: downloadPath(version), download: "" },
      ...(visit.may("catalogue")
        ? [
            { label: "Upload organisation file", to: catalogueUploadPath },
            { label: "Change organisation", to: organisationPath },
          ]
        : []),
    ];
    return {
      menu: menu.map((item) => ({ ...item, to: visit.links.to(item.to) })),
      views: tabOrder.map((tab) => ({
        label: `${capitalised(pluralOf(tab))} (${catalogue.file[tab].length})`,
        to: visit.links.to(listPath(tab)),
        current: tab === sectionIn(visit),
      })),
    };
  },
  filters: () => [{ name: "search", label: "Find", kind: "text", maxlength: 100 }],
  query: async (visit, _, deps) => {
    const { file } = (await presentCatalogue(visit, deps)).catalogue;
    const [section, search] = [sectionIn(visit), searchIn(visit)];
    const textOf = searchTextOf(file, section);
    const found = (file[section] as readonly Entry[]).filter((entry) => search === "" || matchesSearch(search, textOf(entry)));
    return { items: found, nextCursor: null };
  },
  columns: async (visit, deps) => {
    const { catalogue, catalogueVersion: version, now } = await presentCatalogue(visit, deps);
    return entryColumns({ visit, catalogue, file: catalogue.file, version, now }, sectionIn(visit));
  },
  empty: (visit, why) => <EmptyState title={`No ${pluralOf(sectionIn(visit))} ${why === "none" ? "yet" : "match this search"}`} />,
});
