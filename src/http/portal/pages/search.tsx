import { instantOf } from "../../../domain/imports/timestamp.js";
import { findActivities, findImports, findQuotes, findShipments, importsSearched, mostFound } from "../../../queries/search.js";
import { definePage } from "../pageDefinition.js";
import { groupDigits } from "../shell/formats.js";
import { longestSearch, searchPath } from "../shell/layout.js";
import { EmptyState, Panel, Unbroken } from "../shell/parts.js";
import { type Column, Table } from "../shell/table.js";
import { activityPath } from "./activities/selection.js";
import { entryPath } from "./catalogue/addresses.js";
import { Customer, presentCatalogue } from "./customers.js";
import { importPath, kindNames, shownReference } from "./imports/importStatus.js";
import { quotesPath } from "./quotes/quoteForm.js";
import { shipmentPath } from "./shipments/shipmentWords.js";

interface FoundCustomer {
  readonly id: string;
  readonly name: string;
}

/** By id or name, in capitals or not; those that are just so come first. */
export function findCustomers(customers: Iterable<FoundCustomer>, text: string): readonly FoundCustomer[] {
  const sought = text.toLowerCase();
  const textsOf = ({ id, name }: FoundCustomer) => [id.toLowerCase(), name.toLowerCase()];
  const found = [...customers].filter((customer) => textsOf(customer).some((own) => own.startsWith(sought)));
  const isExact = (customer: FoundCustomer) => textsOf(customer).includes(sought);
  return found.toSorted((one, other) => Number(isExact(other)) - Number(isExact(one))).slice(0, mostFound);
}

export const searchPage = definePage(searchPath, "look", async (visit, deps) => {
  const text = (visit.query["q"] ?? "").trim().slice(0, longestSearch);
  const title = text === "" ? "Search" : `Search: ${text}`;
  if (text === "") return { title, body: <EmptyState title="Nothing to search for">{searchable}</EmptyState> };
  const { organisationId } = visit.person;
  const [imports, shipments, activities, quotes, { catalogue, nameOf }] = await Promise.all([
    findImports(organisationId, text, deps.pool),
    findShipments(organisationId, text, deps.pool),
    findActivities(organisationId, text, deps.pool),
    findQuotes(organisationId, text, deps.pool),
    presentCatalogue(visit, deps),
  ]);
  const group = <Found,>(title: string, rows: readonly Found[], columns: readonly Column<Found>[]) =>
    rows.length === 0 ? null : (
      <Panel id={title.toLowerCase()} title={title}>
        <Table caption={title} columns={columns} rows={rows} />
        {rows.length === mostFound ? <p class="hint">The first {mostFound}. Type more to narrow the search.</p> : null}
      </Panel>
    );
  const customer: Column<{ readonly customerId: string | null }> = {
    heading: "Customer",
    cell: ({ customerId }) => <Customer {...{ customerId, nameOf }} />,
  };
  const groups = [
    group("Imports", imports, [
      named("Reference", (found) => [shownReference(found), importPath(found.importId)]),
      { heading: "File", cell: ({ fileName }) => <Unbroken text={fileName} /> },
      { heading: "Kind", value: ({ kind }) => kindNames[kind] },
      { heading: "Submitted", value: ({ submittedAt }) => submittedAt },
    ]),
    group("Shipments", shipments, [
      named("Shipment", ({ shipmentId }) => [shipmentId, shipmentPath(shipmentId)]),
      customer,
      { heading: "Import", value: shownReference },
    ]),
    group("Activities", activities, [
      named("Reference", ({ reference, importId, row }) => [reference, activityPath(importId, row)]),
      customer,
      { heading: "Charge code", value: ({ chargeCode }) => chargeCode },
      {
        heading: "Time",
        value: ({ activityTimestamp }) => {
          const instant = instantOf(activityTimestamp, "UTC");
          return instant === undefined ? undefined : new Date(instant);
        },
      },
    ]),
    group("Quotes", quotes, [
      named("Quote", ({ quoteId }) => [quoteId, `${quotesPath}?quote=${quoteId}`]),
      customer,
      { heading: "Priced", value: ({ quotedAt }) => quotedAt },
    ]),
    group("Customers", findCustomers(catalogue.customers.values(), text), [
      named("Customer", ({ name, id }) => [name, entryPath("customers", id)]),
      { heading: "Id", value: ({ id }) => id },
    ]),
  ].filter((found) => found !== null);
  return { title, body: groups.length > 0 ? groups : <EmptyState title="Nothing found">{searchable}</EmptyState> };
});

export const searchable =
  "Search finds imports by id, reference or file name, shipments and quotes by id, activities by reference, and customers by id or name. " +
  `Type all of it or its beginning, of ids at least 4 characters. Activities are found in the last ${groupDigits(importsSearched)} imports.`;

/** The column that names what was found, and leads to it. */
const named = <Row,>(heading: string, of: (row: Row) => readonly [name: string, path: string]): Column<Row> => ({
  heading,
  names: true,
  cell: (row) => <Unbroken text={of(row)[0]} />,
  link: (row) => of(row)[1],
});
