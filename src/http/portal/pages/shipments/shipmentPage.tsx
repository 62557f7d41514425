import { Rejection } from "../../../../domain/rejection.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { findShipment, type LedgerShipment } from "../../../../queries/shipments/shipmentLedger.js";
import { hasVersions } from "../../../../queries/shipments/shipmentVersions.js";
import { definePage } from "../../pageDefinition.js";
import { groupDigits } from "../../shell/formats.js";
import { CopyButton, EmptyPanel, type Fact, Facts, idFromPath, Link, Panel, Time } from "../../shell/markup.js";
import { Table } from "../../shell/table.js";
import { Customer, currentCatalogue, type NameOfCustomer } from "../customers.js";
import { AsOfForm, timeFromQuery } from "../days.js";
import { importPath } from "../imports/importStatus.js";
import { readVersions, Versions } from "./shipmentVersions.js";
import { customTexts, lineTexts, routeInWords, shipmentFieldTexts, shipmentPath, shipmentsPath } from "./shipmentWords.js";

/** The page of one shipment. Another organisation's shipment gets the same answer as an unknown id. */
export const shipmentPage = definePage(`${shipmentsPath}/{shipmentId}`, "look", async (visit, deps) => {
  const { organisationId } = visit.person;
  const shipmentId = idFromPath(visit.params["shipmentId"]);
  const shipment = await findShipment(organisationId, shipmentId, deps.pool);
  if (!shipment && !(await hasVersions(organisationId, shipmentId, deps.pool)))
    throw new Rejection("notFound", "There is no shipment with this id");
  const asOf = timeFromQuery(visit);
  const [versions, nameOf, { nameOf: nameOfCustomer }] = await Promise.all([
    readVersions(shipmentId, asOf, visit, deps),
    principalNames(organisationId, deps.pool),
    currentCatalogue(visit, deps),
  ]);
  const content = asOf === undefined ? shipment && shipmentContent(shipment) : typeof versions === "object" ? versions.inLedger : undefined;
  return {
    title: shipmentId,
    crumbs: [["Shipments", shipmentsPath]],
    action: <CopyButton text={shipmentId} label="Copy id" />,
    body: (
      <>
        {shipment && asOf === undefined ? (
          <p class="muted">
            Updated <Time at={new Date(String(shipment["updatedAt"]))} /> by{" "}
            <Link to={importPath(String(shipment["importId"]))}>
              {String(shipment["sourceDetails"]).trim() || "an import without a reference"}
            </Link>
          </p>
        ) : null}
        <AsOfForm visit={visit} path={shipmentPath(shipmentId)} asOf={asOf} />
        {content ? (
          <ShipmentPanels content={content} nameOfCustomer={nameOfCustomer} timezone={visit.person.timezone} />
        ) : asOf === undefined ? (
          <EmptyPanel label="Shipment" title="This shipment has no current version: all of them are reversed" />
        ) : typeof versions === "object" ? (
          <EmptyPanel label="Shipment" title="The ledger did not have this shipment at that time" />
        ) : null}
        <Versions visit={visit} shipmentId={shipmentId} versions={versions} nameOf={nameOf} />
      </>
    ),
  };
});

const shipmentContent = ({ items, ...fields }: LedgerShipment) => ({ fields, items: Array.isArray(items) ? items : [] });

/** A shipment may have 500 lines. The page shows the first ones. */
const maxShownLines = 200;

type NumberedLine = { item: unknown; number: number };

type PanelsProps = { content: { fields: LedgerShipment; items: readonly unknown[] }; nameOfCustomer: NameOfCustomer; timezone: string };

function ShipmentPanels({ content: { fields, items }, nameOfCustomer, timezone }: PanelsProps) {
  const customerId = fields["customerId"];
  const custom = customTexts(fields);
  return (
    <>
      <Panel id="shipment" title={routeInWords(fields)}>
        <p>
          <Customer customerId={typeof customerId === "string" ? customerId : null} nameOf={nameOfCustomer} />
        </p>
        <Facts facts={shipmentFieldTexts(fields, timezone).filter(([label]) => !custom.some(([name]) => name === label))} />
      </Panel>
      {custom.length === 0 ? null : (
        <Panel id="custom" title="Custom fields">
          <Facts facts={custom.map(([label, text]): Fact => [label.replace("Custom field ", ""), text])} />
        </Panel>
      )}
      <Panel id="lines" title={`Lines (${groupDigits(items.length)})`}>
        <Table
          caption="The goods of this shipment"
          columns={[
            { heading: "Line", isRowHeader: true, cell: ({ number }: NumberedLine) => number },
            ...lineTexts({}).map(([heading], index) => ({
              heading,
              number: index > 0,
              cell: ({ item }: NumberedLine) => lineTexts(item)[index]?.[1] || "-",
            })),
          ]}
          rows={items.slice(0, maxShownLines).map((item, index): NumberedLine => ({ item, number: index + 1 }))}
        />
        {items.length > maxShownLines ? <p class="muted">The first {maxShownLines} are shown.</p> : null}
      </Panel>
    </>
  );
}
