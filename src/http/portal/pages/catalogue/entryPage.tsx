// The page of a catalogue entry: its fields, the lists within it, and the entries that use it.
import type { Child } from "hono/jsx";
import { fieldsOfSection } from "../../../../domain/catalogue/fields.js";
import type { Customer, RateCard, Section, Service, ZoneMap } from "../../../../domain/catalogue/schema.js";
import { entryId, usesOf } from "../../../../domain/catalogue/uses.js";
import { definePage, type MenuItem, type PageDefinition } from "../../pageDefinition.js";
import { Chips } from "../../shell/chips.js";
import { ButtonForm } from "../../shell/form.js";
import { ButtonLink, EmptyState, type Fact, Facts, Link, Panel, PlainList, pageInMemory, useVisit, withQuery } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import { type CurrentCatalogue, currentCatalogue } from "../customers.js";
import * as paths from "./cataloguePaths.js";
import { columnOf, EntryLinks, entryColumns, SpotRate, Validity } from "./entryColumns.js";
import { Lanes } from "./laneTable.js";

const { addPath, capitalised, entryPath, listPath, nameOfEntry, namesOf, partLists, partPath, pluralOf, sectionNames, tabOrder } = paths;
type Entry = paths.Entry;

const entryPage = (section: Section) =>
  definePage(paths.entryRoute(section), "look", async (visit, deps) => {
    const view = await currentCatalogue(visit, deps);
    const entry = paths.requireEntry(visit, view.file, section);
    const id = entryId(entry);
    const { noun } = sectionNames[section];
    const mayChange = visit.may("catalogue");
    const card = section === "rateCards" ? (entry as RateCard) : undefined;
    return {
      title: nameOfEntry(entry),
      crumbs: [
        ["Catalogue", paths.cataloguePath],
        [capitalised(pluralOf(section)), listPath(section)],
      ],
      action: mayChange && section !== "zoneMaps" ? <ButtonLink to={`${entryPath(section, id)}/change`} label="Change" /> : null,
      menu: menuOf(section, id, mayChange),
      body: (
        <>
          <Panel id="entry" title={capitalised(noun)}>
            <Facts facts={[...factsOf(view, section, entry), ...derivedFacts(view, section, entry)]} />
            {mayChange ? (
              <ButtonForm
                to={`${entryPath(section, id)}/remove`}
                hidden={{ version: String(view.catalogueVersion) }}
                class="quiet danger"
                label="Remove"
                about={`${noun} ${id}`}
              />
            ) : null}
          </Panel>
          {card ? <Lanes view={view} card={card} /> : null}
          {card ? <PartTable view={view} list="surcharges" ownerId={id} entries={card.surcharges} /> : null}
          {section === "zoneMaps" ? <Zones view={view} map={entry as ZoneMap} /> : null}
          {section === "customers" ? <CustomerLists view={view} customer={entry as Customer} /> : <UsedBy {...{ view, section, id }} />}
        </>
      ),
      ...(card && mayChange ? { scripts: ["lanes.js"] } : {}),
    };
  });

const fieldsShownElsewhere = ["id", "key", "name", "validFrom", "validTo", "spot"];

const factsOf = (view: CurrentCatalogue, section: Section, entry: Entry): Fact[] => [
  [section === "customFields" ? "Key" : "Id", <code>{entryId(entry)}</code>],
  ...fieldsOfSection(section)
    .filter(({ key, kind }) => kind !== "list" && !fieldsShownElsewhere.includes(key))
    .map((field): Fact => [field.label, columnOf(view, field).cell(entry)]),
];

/** Facts that also depend on other parts of the catalogue, and those with their own markup. */
function derivedFacts(view: CurrentCatalogue, section: Section, entry: Entry): Fact[] {
  const { file, catalogue } = view;
  const id = entryId(entry);
  if (section === "customers")
    return [["Mandatory custom fields", <EntryLinks view={view} section="customFields" ids={catalogue.mandatoryCustomFields(id)} />]];
  if (section === "customFields") return [["Column of a file", <code>{`customFields.${id}`}</code>]];
  if (section === "services" && (entry as Service).cubicFactor === undefined)
    return [["The organisation's cubic factor", `${file.organisation.cubicFactor} kg per cubic metre`]];
  if (section !== "rateCards") return [];
  const { spot } = entry as RateCard;
  const validity: Fact = ["Validity", <Validity view={view} card={entry as RateCard} />];
  const currency: Fact = ["Prices in", catalogue.currency];
  return spot ? [validity, ["Spot rate", <SpotRate spot={spot} />], currency] : [validity, currency];
}

function menuOf(section: Section, id: string, mayChange: boolean): MenuItem[] {
  const path = entryPath(section, id);
  const [isCard, isCarrier] = [section === "rateCards", section === "carriers"];
  const entries = [
    isCard && { label: "Download lanes (CSV)", to: `${path}/lanes.csv` },
    isCard && { label: "Download lanes (XLSX)", to: `${path}/lanes.xlsx` },
    isCard && mayChange && { label: "Upload lanes", to: `${path}/lanes/upload` },
    isCard && mayChange && { label: "New card from this one", to: `${path}/copy` },
    isCarrier && mayChange && { label: "Add service", to: withQuery(addPath("services"), { carrierId: id }) },
  ];
  return entries.filter((entry) => entry !== false);
}

interface PartsProps {
  readonly view: CurrentCatalogue;
  readonly list: paths.PartList;
  readonly ownerId: string;
  readonly entries: readonly object[];
  /** The entries that match the search; all by default. */
  readonly matches?: readonly object[];
  /** The search form. */
  readonly children?: Child;
}

/** A list within an entry: zones or surcharges. */
function PartTable({ view, list, ownerId, entries, matches = entries, children }: PartsProps) {
  const visit = useVisit();
  const { section, noun } = partLists[list];
  const title = `${capitalised(noun)}s`;
  const fields = fieldsOfSection(section).find(({ key }) => key === list)?.fields ?? [];
  const columns: Column<object>[] = fields.map((field, index) => ({ ...columnOf(view, field), isRowHeader: index === 0 }));
  const mayChange = visit.may("catalogue");
  const path = withQuery(entryPath(section, ownerId), { search: visit.query["search"] });
  const { rows, pager } = pageInMemory(visit, matches, { noun: [noun, `${noun}s`], path });
  if (mayChange)
    columns.push({
      heading: "Change",
      cell: (entry) => (
        <Link
          to={partPath(list, ownerId, entries.indexOf(entry) + 1)}
          aria-description={"zone" in entry ? String(entry.zone) : nameOfEntry(entry as Entry)}
        >
          Change
        </Link>
      ),
    });
  return (
    <Panel id={list} title={title}>
      {children}
      <Table
        caption={title}
        columns={columns}
        rows={rows}
        empty={<EmptyState title={entries.length > 0 ? `No ${noun}s match this search` : `No ${noun}s`} />}
      />
      {pager}
      {mayChange ? (
        <p class="button-row">
          <ButtonLink to={partPath(list, ownerId, "new")} label={`Add ${noun}`} quiet />
        </p>
      ) : null}
    </Panel>
  );
}

/** Zones, searched by name or by postcode. A postcode finds one zone in each country: the zone that a consignment would get. */
function Zones({ view, map: { id, zones } }: { view: CurrentCatalogue; map: ZoneMap }) {
  const { catalogue } = view;
  const search = (useVisit().query["search"] ?? "").trim().slice(0, 100);
  const zoneOf = (country: string) => (/\d/.test(search) ? catalogue.zoneOf(id, country, search) : undefined);
  const zoneIn = new Map([...new Set(zones.map(({ country }) => country))].map((country) => [country, zoneOf(country)]));
  const found = zones.filter(({ zone, country }) => zone.toLowerCase().includes(search.toLowerCase()) || zoneIn.get(country) === zone);
  return (
    <PartTable view={view} list="zones" ownerId={id} entries={zones} matches={found}>
      <Chips path={entryPath("zoneMaps", id)} chips={[{ name: "search", label: "Zone or postcode", kind: "text", maxlength: 100 }]} />
    </PartTable>
  );
}

function CustomerLists({ view, customer }: { view: CurrentCatalogue; customer: Customer }) {
  const { file } = view;
  const cards = file.rateCards.filter(({ id }) => customer.rateCardIds.includes(id));
  const empty = <EmptyState title="No rate cards yet. Without one, this customer cannot get a quote" />;
  return (
    <>
      <Panel id="rate-cards" title="Rate cards">
        <Table caption="Rate cards" columns={entryColumns(view, "rateCards")} rows={cards} empty={empty} />
      </Panel>
      <Panel id="used" title="Recorded for this customer">
        <PlainList
          items={[
            <Link to={withQuery("/portal/shipments", { customer: customer.id })}>Shipments</Link>,
            <Link to={withQuery("/portal/activities", { customer: customer.id })}>Activities of this month</Link>,
          ]}
        />
      </Panel>
    </>
  );
}

/** The entries that refer to this one, in a table for each section. */
function UsedBy({ view, section, id }: { view: CurrentCatalogue; section: Section; id: string }) {
  const path = entryPath(section, id);
  const uses = usesOf(view.file, section)(id);
  if (uses.length === 0)
    return (
      <Panel id="used" title="Used by">
        <EmptyState title={`Nothing uses this ${sectionNames[section].noun}`} />
      </Panel>
    );
  return (
    <>
      {uses.map(({ section: referrer, entries }) => {
        const title = capitalised(pluralOf(referrer));
        const { rows, pager } = pageInMemory(useVisit(), entries, { noun: namesOf(referrer), path, name: referrer });
        return (
          <Panel id={referrer} title={title}>
            <Table caption={`${title} that use it`} columns={entryColumns(view, referrer)} rows={rows} />
            {pager}
          </Panel>
        );
      })}
    </>
  );
}

export const entryPages = Object.fromEntries(tabOrder.map((section) => [section, entryPage(section)])) as Record<Section, PageDefinition>;
