import type { SignedInVisit } from "../../page.js";
import { ButtonLink } from "../../shell/form.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState } from "../../shell/panel.js";
import { presentCatalogue } from "../customers.js";
import {
  addPath,
  cataloguePath,
  downloadPath,
  type Entry,
  headed,
  listPath,
  organisationPath,
  pluralOf,
  tabs,
  things,
  uploadPath,
  versionsPath,
} from "./addresses.js";
import { matches, searchIn } from "./inMemory.js";
import { columnsOf, searchTextOf } from "./lists.js";

const sectionIn = ({ query }: SignedInVisit) => tabs.find((each) => things[each].folder === query["list"]) ?? "customers";

/** Everything that prices and judges: one list at a time, with a search. */
export const catalogueList = listPage<Entry>({
  path: cataloguePath,
  access: "look",
  title: "Catalogue",
  of: (visit) => [things[sectionIn(visit)].noun, pluralOf(sectionIn(visit))],
  caption: "Entries of the catalogue",
  kept: ["list"],
  action: (visit) => {
    const section = sectionIn(visit);
    return visit.may("catalogue") ? <ButtonLink to={visit.links.to(addPath(section))} label={`Add ${things[section].noun}`} /> : null;
  },
  head: async (visit, deps) => {
    const { catalogue, catalogueVersion: version } = await presentCatalogue(visit, deps);
    const menu = [
      { label: `All versions (now ${version})`, to: versionsPath },
      { label: "Download organisation file", to: downloadPath(version), download: "" },
      ...(visit.may("catalogue")
        ? [
            { label: "Upload organisation file", to: uploadPath },
            { label: "Change organisation", to: organisationPath },
          ]
        : []),
    ];
    return {
      menu: menu.map((item) => ({ ...item, to: visit.links.to(item.to) })),
      views: tabs.map((tab) => ({
        label: `${headed(pluralOf(tab))} (${catalogue.file[tab].length})`,
        to: visit.links.to(listPath(tab)),
        current: tab === sectionIn(visit),
      })),
    };
  },
  filters: () => [{ name: "search", label: "Search", kind: "text", maxlength: 100 }],
  query: async (visit, _, deps) => {
    const { file } = (await presentCatalogue(visit, deps)).catalogue;
    const [section, search] = [sectionIn(visit), searchIn(visit)];
    const textOf = searchTextOf(file, section);
    const found = (file[section] as readonly Entry[]).filter((entry) => search === "" || matches(search, textOf(entry)));
    return { items: found, nextCursor: null };
  },
  columns: async (visit, deps) => {
    const { catalogue, catalogueVersion: version, now } = await presentCatalogue(visit, deps);
    return columnsOf({ visit, catalogue, file: catalogue.file, version, now }, sectionIn(visit));
  },
  empty: (visit, why) => <EmptyState title={`No ${pluralOf(sectionIn(visit))} ${why === "none" ? "yet" : "match this search"}`} />,
});
