import type { OrganisationFile, ZoneMap } from "../../../../domain/catalogue/schema.js";
import { withQuery } from "../../links.js";
import { Field } from "../../shell/form.js";
import { EmptyState, FilterForm, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import type { OfCatalogue } from "./lists.js";
import { partOf, searchIn, thingPath, UnderThing } from "./parts.js";
import { Cards, thingPage } from "./things.js";

type Zone = ZoneMap["zones"][number];

export const zoneMapPage = thingPage("zoneMaps", (of, map) => {
  const { visit, file } = of;
  const cards: OrganisationFile["rateCards"] = file.rateCards.filter(({ zoneMapId }) => zoneMapId === map.id);
  const search = searchIn(visit);
  const found = search === "" ? map.zones : zonesFound(of, map, search);
  const address = (from: string | undefined) => withQuery(thingPath("zoneMaps", map.id), { search, from });
  const { rows, pager } = partOf(visit, found, "zones", address);
  return {
    title: map.id,
    body: (
      <>
        <UnderThing visit={visit} list="zone-maps" label="All zone maps" />
        <Panel id="zones" title="Zones">
          <FilterForm
            visit={visit}
            path={thingPath("zoneMaps", map.id)}
            submit="Search"
            all={search === "" ? undefined : visit.links.to(thingPath("zoneMaps", map.id))}
          >
            <Field label="Zone or postcode" name="search" value={search} maxlength={100} autocomplete="off" required={false} />
          </FilterForm>
          <Table caption="Zones" columns={columns} rows={rows} empty={<EmptyState title="No zones match this search" />} />
          {pager}
        </Panel>
        <Cards of={of} cards={cards} empty="No rate card uses this zone map" />
      </>
    ),
  };
});

/** Zones with this name, and those that hold the postcode: the same look-up as for a consignment. */
function zonesFound({ catalogue }: OfCatalogue, { id, zones }: ZoneMap, search: string): readonly Zone[] {
  const wanted = search.toLowerCase();
  const holding = new Map(
    [...new Set(zones.map(({ country }) => country))].map((country) => [country, catalogue.zoneOf(id, country, search)]),
  );
  const isCode = /\d/.test(search);
  return zones.filter(({ zone, country }) => zone.toLowerCase().includes(wanted) || (isCode && holding.get(country) === zone));
}

const shownPostcodes = 12;

const columns: readonly Column<Zone>[] = [
  { heading: "Zone", names: true, cell: ({ zone }) => zone },
  { heading: "Country", cell: ({ country }) => country },
  { heading: "Postcodes", cell: ({ postcodes }) => <Postcodes postcodes={postcodes} /> },
];

function Postcodes({ postcodes }: Pick<Zone, "postcodes">) {
  if (!postcodes) return <span class="muted">The rest of the country</span>;
  if (postcodes.length <= shownPostcodes) return <span>{postcodes.join(", ")}</span>;
  return (
    <details class="postcodes">
      <summary>
        {postcodes.slice(0, 3).join(", ")} and {postcodes.length - 3} more
      </summary>
      {postcodes.join(", ")}
    </details>
  );
}
