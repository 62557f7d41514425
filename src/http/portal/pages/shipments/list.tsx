import type { Geography } from "../../../../domain/geography/geography.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { isFiltered, placeOf, type ShipmentFilter } from "../../../../queries/shipments/shipmentFilter.js";
import { type LedgerShipment, listShipments } from "../../../../queries/shipments/shipmentLedger.js";
import { hasVersions } from "../../../../queries/shipments/shipmentVersions.js";
import { isByImport } from "../../../../queries/shipments/shipmentWalk.js";
import type { PageOf, SignedInVisit } from "../../page.js";
import { Choice, Field } from "../../shell/form.js";
import { EmptyState, FilterForm, Pager } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount, Time, Unbroken } from "../../shell/values.js";
import { Customer, type NameOfCustomer, presentCatalogue } from "../customers.js";
import { dayEnd, dayStart } from "../days.js";
import { importPath } from "../imports/status.js";
import { showShipment } from "./one.js";
import { placeInWords, shipmentPath, shipmentsPath } from "./words.js";

const rowsPerPage = 25;

export const shipmentsPage: PageOf<SignedInVisit> = {
  path: shipmentsPath,
  access: "look",
  show: async (visit, deps) => {
    const { query, person } = visit;
    if (query["exactly"] !== undefined) return showShipment(query["exactly"], visit, deps);
    const { organisationId, timezone } = person;
    const filter = filterOf(query, timezone, deps.geography);
    const { catalogue, nameOf } = await presentCatalogue(visit, deps);
    const page = { cursor: query["cursor"] || undefined, limit: rowsPerPage, secret: deps.signingSecret };
    const { items, nextCursor } = await listShipments(organisationId, filter, page, deps.pool);
    const { shipmentIdPrefix: id } = filter;
    const known = items.length === 0 && id !== undefined && (await hasVersions(organisationId, id, deps.pool)) ? id : undefined;
    return {
      title: "Shipments",
      body: (
        <>
          <Filters visit={visit} customers={[...catalogue.customers.values()]} isFiltered={isFiltered(filter)} />
          <section class="panel" aria-label="Shipments">
            <Table
              caption={captionOf(filter)}
              columns={columns(visit, nameOf)}
              rows={items}
              empty={noShipments(visit, filter, nextCursor, known)}
            />
            <Pager of="shipments" cursor={page.cursor} nextCursor={nextCursor} address={(cursor) => addressOf(visit, cursor)} />
          </section>
        </>
      ),
    };
  },
};

/** `known`: there is a shipment with exactly this id, or there was one that is reversed. */
const noShipments = ({ links }: SignedInVisit, filter: ShipmentFilter, nextCursor: string | null, known: string | undefined) =>
  nextCursor === null ? (
    <EmptyState title={isFiltered(filter) ? "No shipments match this filter" : "No shipments yet"}>
      {known === undefined ? undefined : <a href={links.to(shipmentPath(known))}>See the history of {known}</a>}
    </EmptyState>
  ) : (
    <EmptyState title="No matches on this page">Each page searches 5,000 shipments. Go to the next page to search further.</EmptyState>
  );

const longestPlace = 100;

/** `Auckland, NZ`: the country stands behind a comma. */
function placeIn(text: string | undefined, geography: Geography): ShipmentFilter["place"] {
  if (text === undefined) return undefined;
  const [place = "", country] = text.split(",", 2).map((part) => part.trim());
  return placeOf(place, geography, country || undefined);
}

function filterOf(query: Readonly<Record<string, string>>, timezone: string, geography: Geography): ShipmentFilter {
  const given = (name: string, longest: number) => {
    const text = query[name]?.trim() || undefined;
    if (text?.includes("\0")) throw new Rejection("invalid", "A filter has no such character");
    if (text && text.length > longest) throw new Rejection("invalid", `A filter has at most ${longest} characters`);
    return text;
  };
  return {
    shipmentIdPrefix: given("id", limits.identifierLength),
    customerId: given("customer", limits.identifierLength),
    sourceDetails: given("reference", limits.sourceDetailsLength),
    place: placeIn(given("place", longestPlace), geography),
    from: dayStart("Updated from", query["from"], timezone),
    to: dayEnd("Updated to", query["to"], timezone),
  };
}

const captionOf = (filter: ShipmentFilter): string => (isByImport(filter) ? "Shipments, most recently imported first" : "Shipments, by id");

const columns = (visit: SignedInVisit, nameOf: NameOfCustomer): readonly Column<LedgerShipment>[] => [
  {
    heading: "Shipment",
    names: true,
    cell: ({ shipmentId }) => (
      <a href={visit.links.to(shipmentPath(String(shipmentId)))}>
        <Unbroken text={String(shipmentId)} />
      </a>
    ),
  },
  {
    heading: "Customer",
    cell: ({ customerId }) => <Customer customerId={typeof customerId === "string" ? customerId : null} nameOf={nameOf} />,
  },
  {
    heading: "Route",
    cell: (shipment) => (
      <span>
        <Unbroken text={placeInWords(shipment, "origin")} /> <Unbroken text={`to ${placeInWords(shipment, "destination")}`} />
      </span>
    ),
  },
  { heading: "Lines", number: true, cell: ({ items }) => <Amount value={Array.isArray(items) ? items.length : 0} /> },
  { heading: "Updated", cell: ({ updatedAt }) => <Time visit={visit} at={new Date(String(updatedAt))} /> },
  {
    heading: "Import",
    cell: ({ importId, sourceDetails }) => (
      <a class="written-by" href={visit.links.to(importPath(String(importId)))} title={String(sourceDetails).trim() || undefined}>
        {String(sourceDetails).trim() || "Without a reference"}
      </a>
    ),
  },
];

function addressOf({ query: { id, customer, reference, place, from, to }, links }: SignedInVisit, cursor: string | undefined): string {
  return links.to(shipmentsPath, { id, customer, reference, place, from, to, cursor });
}

interface FiltersProps {
  readonly visit: SignedInVisit;
  readonly customers: readonly { readonly id: string; readonly name: string }[];
  readonly isFiltered: boolean;
}

function Filters({ visit, customers, isFiltered }: FiltersProps) {
  const { query } = visit;
  const sorted = customers.toSorted((one, other) => one.name.localeCompare(other.name));
  const chosen = query["customer"] ?? "";
  // A shipment keeps its customer also when the catalogue no longer has it.
  const gone = chosen !== "" && !customers.some(({ id }) => id === chosen) ? [{ value: chosen, label: chosen }] : [];
  const options = [
    { value: "", label: "All customers" },
    ...sorted.map(({ id, name }) => ({ value: id, label: `${name} (${id})` })),
    ...gone,
  ];
  const text = { autocomplete: "off", required: false } as const;
  return (
    <FilterForm visit={visit} path={shipmentsPath} submit="Search" all={isFiltered ? visit.links.to(shipmentsPath) : undefined}>
      <Field label="Id begins with" name="id" value={query["id"]} maxlength={limits.identifierLength} {...text} />
      <Choice label="Customer" name="customer" value={chosen} options={options} />
      <Field label="Reference" name="reference" value={query["reference"]} maxlength={limits.sourceDetailsLength} {...text} />
      <Field label="Place" name="place" value={query["place"]} placeholder="Postcode or suburb" maxlength={longestPlace} {...text} />
      <Field label="Updated from" name="from" type="date" value={query["from"]} required={false} />
      <Field label="Updated to" name="to" type="date" value={query["to"]} required={false} />
    </FilterForm>
  );
}
