import { withQuery } from "../../links.js";
import type { PageOf, SignedInVisit } from "../../page.js";
import { ButtonLink, Field } from "../../shell/form.js";
import { EmptyState, FilterForm } from "../../shell/panel.js";
import { Table } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { presentCatalogue } from "../customers.js";
import {
  addPath,
  cataloguePath,
  downloadPath,
  headed,
  listPath,
  organisationPath,
  pluralOf,
  tabs,
  things,
  uploadPath,
  versionsPath,
} from "./addresses.js";
import { matches, partOf, searchIn } from "./inMemory.js";
import { columnsOf, searchTextOf } from "./lists.js";

/** Everything that prices and judges: one list at a time, with a search. */
export const cataloguePage: PageOf<SignedInVisit> = {
  path: cataloguePath,
  access: "look",
  show: async (visit, deps) => {
    const { catalogue, catalogueVersion: version, now } = await presentCatalogue(visit, deps);
    const { file } = catalogue;
    const section = tabs.find((each) => things[each].folder === visit.query["list"]) ?? "customers";
    const { noun } = things[section];
    const search = searchIn(visit);
    const textOf = searchTextOf(file, section);
    const found = search === "" ? file[section] : file[section].filter((entry) => matches(search, textOf(entry)));
    const { rows, pager } = partOf(visit, found, pluralOf(section), (from) => withQuery(listPath(section), { search, from }));
    const mayChange = visit.may("catalogue");
    return {
      title: "Catalogue",
      body: (
        <>
          <p class="under-heading">
            <a href={visit.links.to(versionsPath)}>All versions (now {version})</a>
            <a href={visit.links.to(downloadPath(version))} download>
              Download organisation file
            </a>
            {mayChange ? <a href={visit.links.to(uploadPath)}>Upload organisation file</a> : null}
            {mayChange ? <a href={visit.links.to(organisationPath)}>Change organisation</a> : null}
          </p>
          <nav aria-label="Lists of the catalogue" class="tabs lists">
            {tabs.map((tab) => (
              <a href={visit.links.to(listPath(tab))} aria-current={tab === section ? "page" : undefined}>
                {headed(pluralOf(tab))} <Amount value={file[tab].length} />
              </a>
            ))}
          </nav>
          <FilterForm
            visit={visit}
            path={cataloguePath}
            submit="Search"
            kept={{ list: things[section].folder }}
            all={search === "" ? undefined : visit.links.to(listPath(section))}
            after={mayChange ? <ButtonLink to={visit.links.to(addPath(section))} label={`Add ${noun}`} quiet /> : null}
          >
            <Field label="Search" name="search" value={search} maxlength={100} autocomplete="off" required={false} />
          </FilterForm>
          <section class="panel" aria-label={headed(pluralOf(section))}>
            <Table
              caption={headed(pluralOf(section))}
              columns={columnsOf({ visit, catalogue, file, version, now }, section)}
              rows={rows}
              empty={<EmptyState title={search === "" ? `No ${pluralOf(section)} yet` : `No ${pluralOf(section)} match this search`} />}
            />
            {pager}
          </section>
        </>
      ),
    };
  },
};
