// The page of each thing of the catalogue: what is recorded of it, the lists within it, and what uses it.
import type { Child } from "hono/jsx";
import { fieldsOf } from "../../../../domain/catalogue/fields.js";
import type { Customer, RateCard, Section, ZoneMap } from "../../../../domain/catalogue/schema.js";
import { idOf, usesOf } from "../../../../domain/catalogue/uses.js";
import { withQuery } from "../../links.js";
import type { PageOf, SignedInVisit } from "../../page.js";
import { Button, ButtonLink, Field, Form, HiddenFields } from "../../shell/form.js";
import { EmptyState, type Fact, Facts, FilterForm, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { presentCatalogue } from "../customers.js";
import {
  addPath,
  type Entry,
  type EntryOf,
  headed,
  listPath,
  nameOf,
  type PartList,
  partPath,
  parts,
  pluralOf,
  requireThing,
  tabs,
  thingPath,
  thingRoute,
  things,
} from "./addresses.js";
import { partOf, searchIn } from "./inMemory.js";
import { Lanes } from "./lanes.js";
import { cellOf, columnOf, columnsOf, type OfCatalogue, Things, Validity } from "./lists.js";

const entryPage = (section: Section): PageOf<SignedInVisit> => ({
  path: thingRoute(section),
  access: "look",
  show: async (visit, deps) => {
    const { catalogue, catalogueVersion: version, now } = await presentCatalogue(visit, deps);
    const of: OfCatalogue = { visit, catalogue, file: catalogue.file, version, now };
    const entry = requireThing(visit, catalogue.file, section);
    const id = idOf(entry);
    const isCard = section === "rateCards";
    return {
      title: nameOf(entry),
      body: (
        <>
          <p class="under-heading">
            <a href={visit.links.to(listPath(section))}>All {pluralOf(section)}</a>
            <span class="muted">
              {section === "customFields" ? "Key" : "Id"} <code>{id}</code>
            </span>
          </p>
          <Panel id="entry" title={headed(things[section].noun)}>
            <Facts facts={[...factsOf(of, section, entry), ...moreFacts(of, section, entry)]} />
            {visit.may("catalogue") ? <Acts of={of} section={section} id={id} /> : null}
          </Panel>
          {isCard ? <Lanes visit={visit} version={version} card={entry as RateCard} file={catalogue.file} /> : null}
          {isCard ? <Parts of={of} list="surcharges" ownerId={id} entries={(entry as RateCard).surcharges} /> : null}
          {section === "zoneMaps" ? <Zones of={of} map={entry as ZoneMap} /> : null}
          {section === "customers" ? <OfCustomer of={of} customer={entry as Customer} /> : <UsedBy of={of} section={section} id={id} />}
        </>
      ),
      ...(isCard && visit.may("catalogue") ? { scripts: ["lanes.js"] } : {}),
    };
  },
});

const ownFacts = ["id", "key", "name", "validFrom", "validTo", "spot"];

const factsOf = (of: OfCatalogue, section: Section, entry: Entry): Fact[] =>
  fieldsOf(section)
    .filter(({ key, kind }) => kind !== "list" && !ownFacts.includes(key))
    .map((field) => [field.label, cellOf(of, field, (entry as unknown as Record<string, unknown>)[field.key])]);

/** What follows from the entry and others. */
function moreFacts(of: OfCatalogue, section: Section, entry: Entry): Fact[] {
  const { visit, file, catalogue } = of;
  if (section === "customers") {
    const ids = catalogue.mandatoryCustomFields(idOf(entry));
    return [["Mandatory custom fields", <Things of={of} section="customFields" ids={ids} />]];
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

function Acts({ of: { visit, version }, section, id }: { of: OfCatalogue; section: Section; id: string }) {
  const path = thingPath(section, id);
  return (
    <div class="button-row">
      <ButtonLink to={visit.links.to(`${path}/change`)} label="Change" quiet />
      {section === "rateCards" ? <ButtonLink to={visit.links.to(`${path}/copy`)} label="New card from this one" quiet /> : null}
      {section === "carriers" ? <ButtonLink to={visit.links.to(addPath("services"), { carrierId: id })} label="Add service" quiet /> : null}
      <Form visit={visit} to={`${path}/remove`} class="in-line">
        <HiddenFields values={{ version: String(version) }} />
        <Button class="quiet danger" label="Remove" aria-description={`${things[section].noun} ${id}`} />
      </Form>
    </div>
  );
}

interface PartsProps {
  readonly of: OfCatalogue;
  readonly list: PartList;
  readonly ownerId: string;
  readonly entries: readonly object[];
  /** Those that are shown; all by default. */
  readonly rows?: readonly object[];
  readonly children?: Child;
}

/** A list within a thing: zones, surcharges. */
function Parts({ of, list, ownerId, entries, rows = entries, children }: PartsProps) {
  const { visit } = of;
  const { section, noun } = parts[list];
  const fields = fieldsOf(section).find(({ key }) => key === list)?.fields ?? [];
  const mayChange = visit.may("catalogue");
  const change: Column<object> = {
    heading: "Change",
    cell: (entry) => (
      <a href={visit.links.to(partPath(list, ownerId, entries.indexOf(entry) + 1))} aria-description={nameOf(entry as Entry)}>
        Change
      </a>
    ),
  };
  const columns = fields.map((field, index) => ({ ...columnOf(of, field), names: index === 0 }));
  return (
    <Panel id={list} title={headed(`${noun}s`)}>
      {children}
      <Table
        caption={headed(`${noun}s`)}
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

function Zones({ of, map }: { of: OfCatalogue; map: ZoneMap }) {
  const { visit } = of;
  const search = searchIn(visit);
  const path = thingPath("zoneMaps", map.id);
  const found = search === "" ? map.zones : zonesFound(of, map, search);
  const { rows, pager } = partOf(visit, found, "zones", (from) => withQuery(path, { search, from }));
  return (
    <>
      <Parts of={of} list="zones" ownerId={map.id} entries={map.zones} rows={rows}>
        <FilterForm visit={visit} path={path} submit="Search" all={search === "" ? undefined : visit.links.to(path)}>
          <Field label="Zone or postcode" name="search" value={search} maxlength={100} autocomplete="off" required={false} />
        </FilterForm>
      </Parts>
      {pager}
    </>
  );
}

/** Zones with this name, and those that hold the postcode: the same look-up as for a consignment. */
function zonesFound({ catalogue }: OfCatalogue, { id, zones }: ZoneMap, search: string): ZoneMap["zones"] {
  const wanted = search.toLowerCase();
  const countries = new Set(zones.map(({ country }) => country));
  const holding = new Map([...countries].map((country) => [country, catalogue.zoneOf(id, country, search)]));
  const isCode = /\d/.test(search);
  return zones.filter(({ zone, country }) => zone.toLowerCase().includes(wanted) || (isCode && holding.get(country) === zone));
}

function OfCustomer({ of, customer }: { of: OfCatalogue; customer: Customer }) {
  const { visit, file } = of;
  const cards = file.rateCards.filter(({ id }) => customer.rateCardIds.includes(id));
  const empty = <EmptyState title="No rate cards yet. Without one, this customer cannot get a quote" />;
  return (
    <>
      <Panel id="rate-cards" title="Rate cards">
        <Table caption="Rate cards" columns={columnsOf(of, "rateCards")} rows={cards} empty={empty} />
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
function UsedBy({ of, section, id }: { of: OfCatalogue; section: Section; id: string }) {
  const { visit, file } = of;
  const uses = usesOf(file, section)(id);
  if (uses.length === 0) return <EmptyState title={`Nothing uses this ${things[section].noun}`} />;
  return (
    <>
      {uses.map(({ section: user, entries }) => {
        const title = headed(pluralOf(user));
        const { rows, pager } = partOf(visit, entries, pluralOf(user), (from) => withQuery(thingPath(section, id), { [user]: from }), {
          name: user,
        });
        return (
          <Panel id={user} title={title}>
            <Table caption={`${title} that use it`} columns={columnsOf(of, user)} rows={rows} />
            {pager}
          </Panel>
        );
      })}
    </>
  );
}

export const entryPages = Object.fromEntries(tabs.map((section) => [section, entryPage(section)])) as Record<
  Section,
  PageOf<SignedInVisit>
>;
