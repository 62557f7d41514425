import { withQuery } from "../../links.js";
import type { PageOf, SignedInVisit } from "../../page.js";
import { ButtonLink, Field } from "../../shell/form.js";
import { EmptyState, FilterForm } from "../../shell/panel.js";
import { Table } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { presentCatalogue } from "../customers.js";
import { type CatalogueList, catalogueLists, type OfCatalogue } from "./lists.js";
import { addPath, cataloguePath, downloadPath, matches, partOf, searchIn, uploadPath, versionsPath } from "./parts.js";

type AnyList = CatalogueList<unknown>;
const lists = catalogueLists as unknown as readonly AnyList[];

/** Everything that prices and judges: one list at a time, with a search. */
export const cataloguePage: PageOf<SignedInVisit> = {
  path: cataloguePath,
  access: "look",
  show: async (visit, deps) => {
    const { catalogue, catalogueVersion, now } = await presentCatalogue(visit, deps);
    const of = { visit, catalogue, file: catalogue.file, now };
    const list = lists.find(({ key }) => key === visit.query["list"]) ?? (lists[0] as AnyList);
    return {
      title: "Catalogue",
      body: (
        <>
          <Tools visit={visit} version={catalogueVersion} />
          <nav aria-label="Lists of the catalogue" class="tabs lists">
            {lists.map(({ key, label, rows }) => (
              <a href={visit.links.to(cataloguePath, { list: key })} aria-current={key === list.key ? "page" : undefined}>
                {label} <Amount value={rows(of.file).length} />
              </a>
            ))}
          </nav>
          <List of={of} list={list} />
        </>
      ),
    };
  },
};

const Tools = ({ visit, version }: { visit: SignedInVisit; version: number }) => (
  <p class="under-heading">
    <a href={visit.links.to(versionsPath)}>All versions (now {version})</a>
    <a href={visit.links.to(downloadPath(version))} download>
      Download organisation file
    </a>
    {visit.may("catalogue") ? <a href={visit.links.to(uploadPath)}>Upload organisation file</a> : null}
  </p>
);

function List({ of, list }: { of: OfCatalogue; list: AnyList }) {
  const { visit, file } = of;
  const search = searchIn(visit);
  const all = list.rows(file);
  const found = search === "" ? all : all.filter((row) => matches(search, list.text(row, file)));
  const address = (from: string | undefined) => withQuery(cataloguePath, { list: list.key, search, from });
  const { rows, pager } = partOf(visit, found, list.of, address);
  const isFiltered = search !== "";
  return (
    <>
      <FilterForm
        visit={visit}
        path={cataloguePath}
        submit="Search"
        kept={{ list: list.key }}
        all={isFiltered ? visit.links.to(cataloguePath, { list: list.key }) : undefined}
        after={<Add visit={visit} list={list} />}
      >
        <Field label="Search" name="search" value={search} maxlength={100} autocomplete="off" required={false} />
      </FilterForm>
      <section class="panel" aria-label={list.label}>
        <Table
          caption={list.label}
          columns={list.columns(of, rows)}
          rows={rows}
          empty={<EmptyState title={isFiltered ? `No ${list.of} match this search` : `No ${list.of} yet`} />}
        />
        {pager}
      </section>
    </>
  );
}

function Add({ visit, list }: { visit: SignedInVisit; list: AnyList }) {
  if (!visit.may("catalogue")) return null;
  if (list.key === "customers") return <ButtonLink to={visit.links.to(addPath("customers"))} label="Add customer" quiet />;
  if (list.key === "custom-fields") return <ButtonLink to={visit.links.to(addPath("customFields"))} label="Add custom field" quiet />;
  return null;
}
