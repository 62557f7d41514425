import { Rejection } from "../../../../domain/rejection.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { findShipment, type LedgerShipment } from "../../../../queries/shipments/shipmentLedger.js";
import type { PageOf, PortalDeps, Shown } from "../../page.js";
import { EmptyState } from "../../shell/table.js";
import { CopyButton, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { presentNames } from "../activities/names.js";
import { AsOf, askedTime } from "../asOf.js";
import { importPath } from "../imports/status.js";
import { shipmentPath, shipmentsPath } from "./address.js";
import { Content } from "./content.js";
import { type NoVersions, readVersions, type ShownVersions } from "./readVersions.js";
import { lastWanted, Versions } from "./versions.js";
import type { ShipmentContent } from "./words.js";

export const shipmentPage: PageOf<SignedInVisit> = {
  path: `${shipmentsPath}/{shipmentId}`,
  access: "look",
  show: (visit, deps) => showShipment(visit.params["shipmentId"] ?? "", visit, deps),
};

/** Another organisation's shipment and an unknown id get the same answer. */
export async function showShipment(shipmentId: string, visit: SignedInVisit, deps: PortalDeps): Promise<Shown> {
  const { organisationId } = visit.person;
  const found = await findShipment(organisationId, shipmentId, deps.pool);
  if (!found) throw new Rejection("notFound", "There is no shipment with this id");
  const asOf = askedTime(visit);
  const upTo = lastWanted(visit);
  const [versions, newest, nameOf, { nameOf: nameOfCustomer }] = await Promise.all([
    readVersions(shipmentId, { asOf, upTo }, visit, deps),
    // What it was then is its newest version of that time, whichever versions the page lists.
    asOf === undefined || upTo === undefined ? undefined : readVersions(shipmentId, { asOf, upTo: undefined }, visit, deps),
    principalNames(deps.pool, organisationId),
    presentNames(organisationId, deps),
  ]);
  const content = asOf === undefined ? contentOf(found) : newestOf(newest ?? versions);
  return {
    title: shipmentId,
    body: (
      <>
        <p class="under-heading">
          <a href={visit.links.to(shipmentsPath)}>All shipments</a>
          <CopyButton text={shipmentId} label="Copy id" />
          {asOf === undefined ? <Written visit={visit} shipment={found} /> : null}
        </p>
        <AsOf visit={visit} path={shipmentPath(shipmentId)} asOf={asOf} />
        {content ? (
          <Content content={content} nameOfCustomer={nameOfCustomer} />
        ) : typeof versions === "object" ? (
          <section class="panel" aria-label="Shipment">
            <EmptyState title="It was not in the ledger at that time" />
          </section>
        ) : null}
        <Versions visit={visit} shipmentId={shipmentId} versions={versions} nameOf={nameOf} />
      </>
    ),
  };
}

const newestOf = (found: ShownVersions | NoVersions): ShipmentContent | undefined =>
  typeof found === "object" ? found.versions.at(-1) : undefined;

const contentOf = ({ items, ...fields }: LedgerShipment): ShipmentContent => ({ fields, items: Array.isArray(items) ? items : [] });

function Written({ visit, shipment }: { readonly visit: SignedInVisit; readonly shipment: LedgerShipment }) {
  return (
    <span class="muted">
      Written <Time visit={visit} at={new Date(String(shipment["updatedAt"]))} /> by{" "}
      <a href={visit.links.to(importPath(String(shipment["importId"])))}>
        {String(shipment["sourceDetails"]).trim() || "an import without a reference"}
      </a>
    </span>
  );
}
