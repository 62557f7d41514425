import type { Geography } from "../../../../domain/geography/geography.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { placeOf, type ShipmentFilter } from "../../../../queries/shipments/shipmentFilter.js";
import { type LedgerShipment, listShipments } from "../../../../queries/shipments/shipmentLedger.js";
import { hasVersions } from "../../../../queries/shipments/shipmentVersions.js";
import type { SignedInVisit, Subject } from "../../pageDefinition.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState, Link, Unbroken } from "../../shell/markup.js";
import { type Column, column } from "../../shell/table.js";
import { currentCatalogue, customerChip, customerColumns, type NameOfCustomer } from "../customers.js";
import { dayChips, daysFromQuery } from "../days.js";
import { importPath } from "../imports/importStatus.js";
import { shipmentPage } from "./shipmentPage.js";
import { placeInWords, shipmentPath, shipmentsPath } from "./shipmentWords.js";

const maxPlaceLength = 100;
const updatedChips = dayChips("Updated from", "Updated to");

const shipmentsList = listPage<LedgerShipment>({
  path: shipmentsPath,
  access: "look",
  title: "Shipments",
  noun: ["shipment", "shipments"],
  caption: "Shipments",
  filters: async (visit, deps) => [
    { name: "id", label: "Id begins with", kind: "text", maxlength: limits.identifierLength },
    await customerChip(visit, deps),
    { name: "reference", label: "Reference", kind: "text", maxlength: limits.sourceDetailsLength },
    { name: "place", label: "Place", kind: "text", maxlength: maxPlaceLength, placeholder: "Postcode or suburb" },
    ...updatedChips,
  ],
  readRows: (visit, page, { geography, pool }) => listShipments(visit.person.organisationId, readFilter(visit, geography), page, pool),
  columns: async (visit, deps) => shipmentColumns((await currentCatalogue(visit, deps)).nameOf),
  empty: async ({ query, person }, why, { pool }) => {
    if (why === "page")
      return (
        <EmptyState title="No matches on this page">Each page searches 5,000 shipments. Go to the next page to search further.</EmptyState>
      );
    const id = query["id"]?.trim();
    // A shipment with exactly this id exists, or existed and is reversed.
    const recordedId = id && (await hasVersions(person.organisationId, id, pool)) ? id : undefined;
    return (
      <EmptyState title={why === "filter" ? "No shipments match this filter" : "No shipments yet"}>
        {recordedId === undefined ? undefined : <Link to={shipmentPath(recordedId)}>See the history of {recordedId}</Link>}
      </EmptyState>
    );
  },
});

export const shipments: Subject = { ...shipmentsList, pages: [shipmentsList.page, shipmentPage] };

/** Reads a place such as `Auckland, NZ`: the country comes after a comma. */
function placeIn(text: string | undefined, geography: Geography): ShipmentFilter["place"] {
  if (text === undefined) return undefined;
  const [place = "", country] = text.split(",", 2).map((part) => part.trim());
  return placeOf(place, geography, country || undefined);
}

function readFilter(visit: SignedInVisit, geography: Geography): ShipmentFilter {
  const filterText = (name: string, maxLength: number) => {
    const text = visit.query[name]?.trim() || undefined;
    if (text?.includes("\0")) throw new Rejection("invalid", "A filter must not contain a NUL character");
    if (text && text.length > maxLength) throw new Rejection("invalid", `A filter has at most ${maxLength} characters`);
    return text;
  };
  return {
    shipmentIdPrefix: filterText("id", limits.identifierLength),
    customerId: filterText("customer", limits.identifierLength),
    sourceDetails: filterText("reference", limits.sourceDetailsLength),
    place: placeIn(filterText("place", maxPlaceLength), geography),
    ...daysFromQuery(visit, updatedChips),
  };
}

const referenceOf = ({ sourceDetails }: LedgerShipment): string => String(sourceDetails).trim() || "Without a reference";

const shipmentColumns = (nameOf: NameOfCustomer): readonly Column<LedgerShipment>[] => [
  column("shipmentId", "Shipment", ({ shipmentId }) => String(shipmentId), {
    isRowHeader: true,
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
