import type { Geography } from "../../../../domain/geography/geography.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { isFiltered, placeOf, type ShipmentFilter } from "../../../../queries/shipments/shipmentFilter.js";
import { type LedgerShipment, listShipments } from "../../../../queries/shipments/shipmentLedger.js";
import { isByImport } from "../../../../queries/shipments/shipmentWalk.js";
import { dayEnd, dayStart } from "../../filterDays.js";
import type { PageOf } from "../../page.js";
import { Pager } from "../../shell/list.js";
import { type Column, EmptyState, Table } from "../../shell/table.js";
import { Amount, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { Customer, type NameOfCustomer } from "../activities/names.js";
import { importPath } from "../imports/status.js";
import { shipmentPath, shipmentsPath } from "./address.js";
import { Filters } from "./filters.js";
import { showShipment } from "./one.js";
import { routeInWords } from "./words.js";

const rowsPerPage = 25;

export const shipmentsPage: PageOf<SignedInVisit> = {
  path: shipmentsPath,
  access: "look",
  show: async (visit, deps) => {
    const { query, person } = visit;
    if (query["exactly"] !== undefined) return showShipment(query["exactly"], visit, deps);
    const { organisationId, timezone } = person;
    const filter = filterOf(query, timezone, deps.geography);
    const { catalogueVersion } = await presentOf(deps.pool, organisationId);
    const { customers } = await deps.catalogues(organisationId, catalogueVersion);
    const page = { cursor: query["cursor"] || undefined, limit: rowsPerPage, secret: deps.signingSecret };
    const { items, nextCursor } = await listShipments(organisationId, filter, page, deps.pool);
    return {
      title: "Shipments",
      body: (
        <>
          <Filters visit={visit} customers={[...customers.values()]} isFiltered={isFiltered(filter)} />
          <section class="panel" aria-label="Shipments">
            {items.length > 0 ? (
              <Table caption={captionOf(filter)} columns={columns(visit, (id) => customers.get(id)?.name)} rows={items} />
            ) : nextCursor === null ? (
              <EmptyState title={isFiltered(filter) ? "No shipment fits this filter" : "No shipments yet"} />
            ) : (
              <EmptyState title="None on this page">Only 5,000 shipments are searched at a time. The next page searches on.</EmptyState>
            )}
            <Pager of="shipments" cursor={page.cursor} nextCursor={nextCursor} address={(cursor) => addressOf(visit, cursor)} />
          </section>
        </>
      ),
    };
  },
};

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

const captionOf = (filter: ShipmentFilter): string =>
  isByImport(filter) ? "Shipments, of the last ended import first" : "Shipments, in the order of their ids";

const columns = (visit: SignedInVisit, nameOf: NameOfCustomer): readonly Column<LedgerShipment>[] => [
  {
    heading: "Shipment",
    names: true,
    cell: ({ shipmentId }) => <a href={visit.links.to(shipmentPath(String(shipmentId)))}>{String(shipmentId)}</a>,
  },
  {
    heading: "Customer",
    cell: ({ customerId }) => <Customer customerId={typeof customerId === "string" ? customerId : null} nameOf={nameOf} />,
  },
  { heading: "Route", cell: (shipment) => routeInWords(shipment) },
  { heading: "Lines", number: true, cell: ({ items }) => <Amount value={Array.isArray(items) ? items.length : 0} /> },
  { heading: "Updated", cell: ({ updatedAt }) => <Time visit={visit} at={new Date(String(updatedAt))} /> },
  {
    heading: "Import",
    cell: ({ importId, sourceDetails }) => (
      <a class="reference" href={visit.links.to(importPath(String(importId)))}>
        {String(sourceDetails).trim() || "Without a reference"}
      </a>
    ),
  },
];

function addressOf({ query, links }: SignedInVisit, cursor: string | undefined): string {
  const [id, customer, reference, place, from, to] = ["id", "customer", "reference", "place", "from", "to"].map((name) => query[name]);
  return links.to(shipmentsPath, { id, customer, reference, place, from, to, cursor });
}
