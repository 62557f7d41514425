// The page of each thing of the catalogue: what is recorded of it, the lists within it, and what uses it.
import type { Child } from "hono/jsx";
import { fieldsOfSection } from "../../../../domain/catalogue/fields.js";
import type { Customer, RateCard, Section, ZoneMap } from "../../../../domain/catalogue/schema.js";
import { idOf, usesOf } from "../../../../domain/catalogue/uses.js";
import { withQuery } from "../../links.js";
import type { PageDefinition, PageHead, SignedInVisit } from "../../pageDefinition.js";
import { Chips } from "../../shell/chips.js";
import { Button, ButtonLink, Form, HiddenFields } from "../../shell/form.js";
import { EmptyState, type Fact, Facts, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { presentCatalogue } from "../customers.js";
import {
  addPath,
  capitalised,
  cataloguePath,
  type Entry,
  type EntryOf,
  entryPath,
  entryRoute,
  listPath,
  nameOfEntry,
  type PartList,
  partLists,
  partPath,
  pluralOf,
  requireEntry,
  sectionNames,
  tabOrder,
} from "./addresses.js";
import { type CatalogueView, cellOf, columnOf, EntryLinks, entryColumns, Validity } from "./entryColumns.js";
import { Lanes } from "./laneTable.js";
import { pageInMemory, searchIn } from "./listInMemory.js";

const entryPage = (section: Section): PageDefinition<SignedInVisit> => ({
  path: entryRoute(section),
  access: "look",
  show: async (visit, deps) => {
    const { catalogue, catalogueVersion: version, now } = await presentCatalogue(visit, deps);
    const of: CatalogueView = { visit, catalogue, file: catalogue.file, version, now };
    const entry = requireEntry(visit, catalogue.file, section);
    const id = idOf(entry);
    const isCard = section === "rateCards";
    return {
      title: nameOfEntry(entry),
      crumbs: [
        ["Catalogue", cataloguePath],
        [capitalised(pluralOf(section)), listPath(section)],
      ],
      ...actsOn(of, section, id),
      body: (
        <>
          <Panel id="entry" title={capitalised(sectionNames[section].noun)}>
            <Facts facts={[...factsOf(of, section, entry), ...moreFacts(of, section, entry)]} />
            {visit.may("catalogue") ? <Remove of={of} section={section} id={id} /> : null}
          </Panel>
          {isCard ? <Lanes visit={visit} version={version} card={entry as RateCard} file={catalogue.file} /> : null}
          {isCard ? <PartTable of={of} list="surcharges" ownerId={id} entries={(entry as RateCard).surcharges} /> : null}
          {section === "zoneMaps" ? <Zones of={of} map={entry as ZoneMap} /> : null}
          {section === "customers" ? <CustomerLists of={of} customer={entry as Customer} /> : <UsedBy of={of} section={section} id={id} />}
        </>
      ),
      ...(isCard && visit.may("catalogue") ? { scripts: ["lanes.js"] } : {}),
    };
  },
});

const ownFacts = ["id", "key", "name", "validFrom", "validTo", "spot"];

const factsOf = (of: CatalogueView, section: Section, entry: Entry): Fact[] => [
  [section === "customFields" ? "Key" : "Id", <code>{idOf(entry)}</code>],
  ...fieldsOfSection(section)
    .filter(({ key, kind }) => kind !== "list" && !ownFacts.includes(key))
    .map((field): Fact => [field.label, cellOf(of, field, (entry as unknown as Record<string, unknown>)[field.key])]),
];

/** What follows from the entry and others. */
function moreFacts(of: CatalogueView, section: Section, entry: Entry): Fact[] {
  const { visit, file, catalogue } = of;
  if (section === "customers") {
    const ids = catalogue.mandatoryCustomFields(idOf(entry));
    return [["Mandatory custom fields", <EntryLinks of={of} section="customFields" ids={ids} />]];
  }
  if (section === "customFields") return [["Column of a file", <code>{`customFields.${idOf(entry)}`}</code>]];
  if (section === "services" && (entry as EntryOf<"services">).cubicFactor === undefined)
    return [["The organisation's cubic factor", `${file.organisation.cubicFactor} kg per cubic metre`]];
  if (section !== "rateCards") return [];
  const { spot } = entry as RateCard;
  const until = spot ? (
    <span>
      Until <Time visit={visit} at={new Date(spot.expiresAt)} />
      {spot.message === "" ? "" : `: ${spot.message}`}
    </span>
  ) : undefined;
  return [["Validity", <Validity of={of} card={entry as RateCard} />], ...(until ? [["Spot rate", until] as const] : [])];
}

/** The button and the menu of the page's head. */
function actsOn({ visit }: CatalogueView, section: Section, id: string): Pick<PageHead, "action" | "menu"> {
  const path = entryPath(section, id);
  const mayChange = visit.may("catalogue");
  const isCard = section === "rateCards";
  const menu: readonly (readonly [shown: boolean, label: string, path: string])[] = [
    [isCard, "Download lanes (CSV)", `${path}/lanes.csv`],
    [isCard, "Download lanes (XLSX)", `${path}/lanes.xlsx`],
    [isCard && mayChange, "Upload lanes", `${path}/lanes/upload`],
    [isCard && mayChange, "New card from this one", `${path}/copy`],
    [section === "carriers" && mayChange, "Add service", withQuery(addPath("services"), { carrierId: id })],
  ];
  return {
    action: mayChange ? <ButtonLink to={visit.links.to(`${path}/change`)} label="Change" /> : null,
    menu: menu.flatMap(([shown, label, to]) => (shown ? [{ label, to: visit.links.to(to) }] : [])),
  };
}

const Remove = ({ of: { visit, version }, section, id }: { of: CatalogueView; section: Section; id: string }) => (
  <Form visit={visit} to={`${entryPath(section, id)}/remove`} class="in-line">
    <HiddenFields values={{ version: String(version) }} />
    <Button class="quiet danger" label="Remove" aria-description={`${sectionNames[section].noun} ${id}`} />
  </Form>
);

interface PartsProps {
  readonly of: CatalogueView;
  readonly list: PartList;
  readonly ownerId: string;
  readonly entries: readonly object[];
  /** Those that are shown; all by default. */
  readonly rows?: readonly object[];
  readonly children?: Child;
}

/** A list within a thing: zones, surcharges. */
function PartTable({ of, list, ownerId, entries, rows = entries, children }: PartsProps) {
  const { visit } = of;
  const { section, noun } = partLists[list];
  const fields = fieldsOfSection(section).find(({ key }) => key === list)?.fields ?? [];
  const mayChange = visit.may("catalogue");
  const change: Column<object> = {
    heading: "Change",
    cell: (entry) => (
      <a href={visit.links.to(partPath(list, ownerId, entries.indexOf(entry) + 1))} aria-description={nameOfEntry(entry as Entry)}>
        Change
      </a>
    ),
  };
  const columns = fields.map((field, index) => ({ ...columnOf(of, field), names: index === 0 }));
  return (
    <Panel id={list} title={capitalised(`${noun}s`)}>
      {children}
      <Table
        caption={capitalised(`${noun}s`)}
        columns={mayChange ? [...columns, change] : columns}
        rows={rows}
        empty={<EmptyState title={entries.length > 0 ? `No ${noun}s match this search` : `No ${noun}s`} />}
      />
      {mayChange ? (
        <p class="button-row">
          <ButtonLink to={visit.links.to(partPath(list, ownerId, "new"))} label={`Add ${noun}`} quiet />
        </p>
      ) : null}
    </Panel>
  );
}

function Zones({ of, map }: { of: CatalogueView; map: ZoneMap }) {
  const { visit } = of;
  const search = searchIn(visit);
  const path = entryPath("zoneMaps", map.id);
  const found = search === "" ? map.zones : zonesFound(of, map, search);
  const { rows, pager } = pageInMemory(visit, found, { of: "zones", path, query: { search } });
  return (
    <>
      <PartTable of={of} list="zones" ownerId={map.id} entries={map.zones} rows={rows}>
        <Chips visit={visit} path={path} chips={[{ name: "search", label: "Zone or postcode", kind: "text", maxlength: 100 }]} />
      </PartTable>
      {pager}
    </>
  );
}

/** Zones with this name, and those that hold the postcode: the same look-up as for a consignment. */
function zonesFound({ catalogue }: CatalogueView, { id, zones }: ZoneMap, search: string): ZoneMap["zones"] {
  const wanted = search.toLowerCase();
  const countries = new Set(zones.map(({ country }) => country));
  const holding = new Map([...countries].map((country) => [country, catalogue.zoneOf(id, country, search)]));
  const isCode = /\d/.test(search);
  return zones.filter(({ zone, country }) => zone.toLowerCase().includes(wanted) || (isCode && holding.get(country) === zone));
}

function CustomerLists({ of, customer }: { of: CatalogueView; customer: Customer }) {
  const { visit, file } = of;
  const cards = file.rateCards.filter(({ id }) => customer.rateCardIds.includes(id));
  const empty = <EmptyState title="No rate cards yet. Without one, this customer cannot get a quote" />;
  return (
    <>
      <Panel id="rate-cards" title="Rate cards">
        <Table caption="Rate cards" columns={entryColumns(of, "rateCards")} rows={cards} empty={empty} />
      </Panel>
      <Panel id="used" title="Recorded for this customer">
        <ul class="plain-list">
          <li>
            <a href={visit.links.to("/portal/shipments", { customer: customer.id })}>Shipments</a>
          </li>
          <li>
            <a href={visit.links.to("/portal/activities", { customer: customer.id })}>Activities of this month</a>
          </li>
        </ul>
      </Panel>
    </>
  );
}

/** What refers to a thing, in pages. */
function UsedBy({ of, section, id }: { of: CatalogueView; section: Section; id: string }) {
  const { visit, file } = of;
  const uses = usesOf(file, section)(id);
  if (uses.length === 0) return <EmptyState title={`Nothing uses this ${sectionNames[section].noun}`} />;
  return (
    <>
      {uses.map(({ section: user, entries }) => {
        const title = capitalised(pluralOf(user));
        const { rows, pager } = pageInMemory(visit, entries, { of: pluralOf(user), path: entryPath(section, id), name: user });
        return (
          <Panel id={user} title={title}>
            <Table caption={`${title} that use it`} columns={entryColumns(of, user)} rows={rows} />
            {pager}
          </Panel>
        );
      })}
    </>
  );
}

export const entryPages = Object.fromEntries(tabOrder.map((section) => [section, entryPage(section)])) as Record<
  Section,
  PageDefinition<SignedInVisit>
>;
