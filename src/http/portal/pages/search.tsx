// The search and the page Help.
import type { Customer as CatalogueCustomer } from "../../../domain/catalogue/schema.js";
import { findActivities, findImports, findQuotes, findShipments, maxFound, maxImportsSearched } from "../../../queries/search.js";
import { definePage } from "../pageDefinition.js";
import { groupDigits } from "../shell/formats.js";
import { maxSearchLength, searchPath } from "../shell/layout.js";
import { EmptyState, type Fact, Facts, Link, Panel, Unbroken } from "../shell/markup.js";
import { visibleMenu } from "../shell/navigation.js";
import { type Column, Table } from "../shell/table.js";
import { shownValue } from "./activities/activityRows.js";
import { activityPath } from "./activities/selection.js";
import { entryPath } from "./catalogue/cataloguePaths.js";
import { Customer, currentCatalogue } from "./customers.js";
import { importPath, kindNames, shownReference } from "./imports/importStatus.js";
import { quotesPath } from "./quotes/quoteForm.js";
import { shipmentPath } from "./shipments/shipmentWords.js";

type FoundCustomer = Pick<CatalogueCustomer, "id" | "name">;

/** Finds customers whose id or name begins with the text, ignoring letter case. Exact matches come first. */
export function findCustomers(customers: Iterable<FoundCustomer>, text: string): readonly FoundCustomer[] {
  const searchText = text.toLowerCase();
  const textsOf = ({ id, name }: FoundCustomer) => [id.toLowerCase(), name.toLowerCase()];
  const found = [...customers].filter((customer) => textsOf(customer).some((each) => each.startsWith(searchText)));
  const isExact = (customer: FoundCustomer) => textsOf(customer).includes(searchText);
  return found.toSorted((one, other) => Number(isExact(other)) - Number(isExact(one))).slice(0, maxFound);
}

export const searchPage = definePage(searchPath, "look", async (visit, deps) => {
  const text = (visit.query["q"] ?? "").trim().slice(0, maxSearchLength);
  const title = text === "" ? "Search" : `Search: ${text}`;
  if (text === "") return { title, body: <EmptyState title="Nothing to search for">{searchHint}</EmptyState> };
  const { organisationId } = visit.person;
  const [imports, shipments, activities, quotes, { catalogue, nameOf }] = await Promise.all([
    findImports(organisationId, text, deps.pool),
    findShipments(organisationId, text, deps.pool),
    findActivities(organisationId, text, deps.pool),
    findQuotes(organisationId, text, deps.pool),
    currentCatalogue(visit, deps),
  ]);
  const group = <Found,>(title: string, rows: readonly Found[], columns: readonly Column<Found>[]) =>
    rows.length === 0 ? null : (
      <Panel id={title.toLowerCase()} title={title}>
        <Table caption={title} columns={columns} rows={rows} />
        {rows.length === maxFound ? <p class="hint">The first {maxFound}. Type more to narrow the search.</p> : null}
      </Panel>
    );
  const customer: Column<{ readonly customerId: string | null }> = {
    heading: "Customer",
    cell: ({ customerId }) => <Customer {...{ customerId, nameOf }} />,
  };
  const groups = [
    group("Imports", imports, [
      foundColumn("Reference", (found) => [shownReference(found), importPath(found.importId)]),
      { heading: "File", cell: ({ fileName }) => <Unbroken text={fileName} /> },
      { heading: "Kind", value: ({ kind }) => kindNames[kind] },
      { heading: "Submitted", value: ({ submittedAt }) => submittedAt },
    ]),
    group("Shipments", shipments, [
      foundColumn("Shipment", ({ shipmentId }) => [shipmentId, shipmentPath(shipmentId)]),
      customer,
      { heading: "Import", value: shownReference },
    ]),
    group("Activities", activities, [
      foundColumn("Reference", ({ reference, importId, row }) => [reference, activityPath(importId, row)]),
      customer,
      { heading: "Charge code", value: ({ chargeCode }) => chargeCode },
      { heading: "Time", cell: ({ activityTimestamp }) => shownValue("activityTimestamp", activityTimestamp, nameOf) },
    ]),
    group("Quotes", quotes, [
      foundColumn("Quote", ({ quoteId }) => [quoteId, `${quotesPath}?quote=${quoteId}`]),
      customer,
      { heading: "Priced", value: ({ quotedAt }) => quotedAt },
    ]),
    group("Customers", findCustomers(catalogue.customers.values(), text), [
      foundColumn("Customer", ({ name, id }) => [name, entryPath("customers", id)]),
      { heading: "Id", value: ({ id }) => id },
    ]),
  ].filter((found) => found !== null);
  return { title, body: groups.length > 0 ? groups : <EmptyState title="Nothing found">{searchHint}</EmptyState> };
});

export const searchHint =
  "Search finds imports by id, reference or file name, shipments and quotes by id, activities by reference, and customers by id or name. " +
  `Type all of it or its beginning, of ids at least 4 characters. Activities are found in the last ${groupDigits(maxImportsSearched)} imports.`;

/** The column that names a result and links to its page. */
const foundColumn = <Row,>(heading: string, linkOf: (row: Row) => readonly [name: string, path: string]): Column<Row> => ({
  heading,
  isRowHeader: true,
  cell: (row) => <Unbroken text={linkOf(row)[0]} />,
  link: (row) => linkOf(row)[1],
});

/** Describes only the pages in this person's menu. */
export const helpPage = definePage("/portal/help", "look", async (visit) => ({
  title: "Help",
  body: (
    <>
      <Panel id="pages" title="What each page is for">
        <Facts
          class="keys"
          facts={visibleMenu(visit)
            .filter(({ path }) => path !== visit.path)
            .map(({ path: to, label, about }): Fact => [<Link to={to}>{label}</Link>, about])}
        />
      </Panel>
      <Panel id="search" title="Search">
        <p>{searchHint}</p>
      </Panel>
      <Panel id="keyboard" title="Keyboard">
        <p>Every page works with the keyboard alone: Tab moves forward, Shift+Tab moves back, Enter opens a link or presses a button.</p>
        <Facts class="keys" facts={keyboard} />
      </Panel>
      <Panel id="read-on" title="Read more">
        <ul>
          <li>
            <Link to="/docs/guide">Guide</Link>: from the first quote to a corrected and a reversed import, step by step.
          </li>
          <li>
            <Link to="/docs">API reference</Link>: every call with its fields, answers and samples, to try out with a key.
          </li>
          <li>
            <Link to="/openapi.json">OpenAPI document</Link>: the same for programs.
          </li>
        </ul>
        <p class="hint">
          If an error page shows a request id, give it to the people who run this service so that they can find what went wrong.
        </p>
      </Panel>
    </>
  ),
}));

const keyboard: readonly Fact[] = [
  ["/", "Leads to the search, on every page."],
  ["Arrow keys", "In the table of rejected rows: move from cell to cell."],
  ["Enter, or typing", "Edits the cell."],
  ["Escape", "Leaves the cell, and then the table."],
  ["Ctrl+V", "Pastes cells that were copied from a spreadsheet, also into the items of a quote."],
  ["Ctrl+D", "Fills the selected cells with the value of the first."],
  ["Ctrl+H", "Finds and replaces in one column."],
  ["Ctrl+Z", "Undoes the last change."],
  ["Space", "Selects the row."],
];
