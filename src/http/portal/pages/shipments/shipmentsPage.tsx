import type { Geography } from "../../../../domain/geography/geography.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { placeOf, type ShipmentFilter } from "../../../../queries/shipments/shipmentFilter.js";
import { type LedgerShipment, listShipments } from "../../../../queries/shipments/shipmentLedger.js";
import { hasVersions } from "../../../../queries/shipments/shipmentVersions.js";
import type { SignedInVisit, Subject } from "../../pageDefinition.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState, Link, Unbroken } from "../../shell/parts.js";
import { type Column, column } from "../../shell/table.js";
import { customerChip, customerColumns, type NameOfCustomer, presentCatalogue } from "../customers.js";
import { dayChips, daysIn } from "../days.js";
import { importPath } from "../imports/importStatus.js";
import { shipmentPage } from "./shipmentPage.js";
import { placeInWords, shipmentPath, shipmentsPath } from "./shipmentWords.js";

const longestPlace = 100;
const days = dayChips("Updated from", "Updated to");

const list = listPage<LedgerShipment>({
  path: shipmentsPath,
  access: "look",
  title: "Shipments",
  of: ["shipment", "shipments"],
  caption: "Shipments",
  filters: async (visit, deps) => [
    { name: "id", label: "Id begins with", kind: "text", maxlength: limits.identifierLength },
    await customerChip(visit, deps),
    { name: "reference", label: "Reference", kind: "text", maxlength: limits.sourceDetailsLength },
    { name: "place", label: "Place", kind: "text", maxlength: longestPlace, placeholder: "Postcode or suburb" },
    ...days,
  ],
  readRows: (visit, page, { geography, pool }) => listShipments(visit.person.organisationId, filterOf(visit, geography), page, pool),
  columns: async (visit, deps) => columns((await presentCatalogue(visit, deps)).nameOf),
  empty: async ({ query, person }, why, { pool }) => {
    if (why === "page")
      return (
        <EmptyState title="No matches on this page">Each page searches 5,000 shipments. Go to the next page to search further.</EmptyState>
      );
    const id = query["id"]?.trim();
    // There is a shipment with exactly this id, or there was one that is reversed.
    const known = id && (await hasVersions(person.organisationId, id, pool)) ? id : undefined;
    return (
      <EmptyState title={why === "filter" ? "No shipments match this filter" : "No shipments yet"}>
        {known === undefined ? undefined : <Link to={shipmentPath(known)}>See the history of {known}</Link>}
      </EmptyState>
    );
  },
});

export const shipments: Subject = { ...list, pages: [list.page, shipmentPage] };

/** `Auckland, NZ`: the country stands behind a comma. */
function placeIn(text: string | undefined, geography: Geography): ShipmentFilter["place"] {
  if (text === undefined) return undefined;
  const [place = "", country] = text.split(",", 2).map((part) => part.trim());
  return placeOf(place, geography, country || undefined);
}

function filterOf(visit: SignedInVisit, geography: Geography): ShipmentFilter {
  const given = (name: string, longest: number) => {
    const text = visit.query[name]?.trim() || undefined;
    if (text?.includes("\0")) throw new Rejection("invalid", "A filter has no such character");
    if (text && text.length > longest) throw new Rejection("invalid", `A filter has at most ${longest} characters`);
    return text;
  };
  return {
    shipmentIdPrefix: given("id", limits.identifierLength),
    customerId: given("customer", limits.identifierLength),
    sourceDetails: given("reference", limits.sourceDetailsLength),
    place: placeIn(given("place", longestPlace), geography),
    ...daysIn(visit, days),
  };
}

const referenceOf = ({ sourceDetails }: LedgerShipment): string => String(sourceDetails).trim() || "Without a reference";

const columns = (nameOf: NameOfCustomer): readonly Column<LedgerShipment>[] => [
  column("shipmentId", "Shipment", ({ shipmentId }) => String(shipmentId), {
    names: true,
    cell: ({ shipmentId }) => <Unbroken text={String(shipmentId)} />,
    link: ({ shipmentId }) => shipmentPath(String(shipmentId)),
  }),
  ...customerColumns<LedgerShipment>(nameOf, ({ customerId }) => (typeof customerId === "string" ? customerId : null)),
  column("route", "Route", (shipment) => `${placeInWords(shipment, "origin")} to ${placeInWords(shipment, "destination")}`, {
    cell: (shipment) => (
      <span>
        <Unbroken text={placeInWords(shipment, "origin")} /> <Unbroken text={`to ${placeInWords(shipment, "destination")}`} />
      </span>
    ),
  }),
  column("lines", "Lines", ({ items }) => (Array.isArray(items) ? items.length : 0), { number: true }),
  column("updated", "Updated", ({ updatedAt }) => new Date(String(updatedAt))),
  column("import", "Import", referenceOf, {
    cell: (shipment) => (
      <Link class="written-by" to={importPath(String(shipment["importId"]))} title={referenceOf(shipment)}>
        {referenceOf(shipment)}
      </Link>
    ),
  }),
  column("importId", "Import id", ({ importId }) => String(importId), { onlyInFiles: true }),
];
