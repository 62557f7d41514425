import { instantOf } from "../../../../domain/imports/timestamp.js";
import { Rejection } from "../../../../domain/rejection.js";
import { principalNames } from "../../../../queries/principalNames.js";
import { findShipment, type LedgerShipment } from "../../../../queries/shipmentLedger.js";
import type { PageOf, PortalDeps, Shown } from "../../page.js";
import { EmptyState } from "../../shell/table.js";
import { CopyButton, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { presentNames } from "../activities/names.js";
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
  const asOf = timeOf(visit);
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
        <AsOf visit={visit} shipmentId={shipmentId} asOf={asOf} />
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

/** A time without a zone is the organisation's own. */
function timeOf({ query, person }: SignedInVisit): Date | undefined {
  const text = query["asOf"]?.trim() ?? "";
  if (text === "") return undefined;
  const instant = instantOf(text, person.timezone);
  if (instant === undefined) throw new Rejection("invalid", "As of must be a time, such as 2026-03-01T14:30");
  return new Date(instant);
}

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

interface AsOfProps {
  readonly visit: SignedInVisit;
  readonly shipmentId: string;
  readonly asOf: Date | undefined;
}

function AsOf({ visit, shipmentId, asOf }: AsOfProps) {
  const { links, query } = visit;
  const path = shipmentPath(shipmentId);
  const [action = "", exactly] = path.split("?exactly=");
  return (
    <form method="get" action={links.to(action)} class="in-line filters">
      {exactly === undefined ? null : <input type="hidden" name="exactly" value={exactly} />}
      <div class="field">
        <label for="as-of">As of</label>
        <input id="as-of" name="asOf" type="datetime-local" step="1" value={query["asOf"]} required />
      </div>
      <button type="submit" class="quiet">
        Show
      </button>
      {asOf === undefined ? null : (
        <>
          <a class="button quiet" href={links.to(path)}>
            Show it as it is now
          </a>
          <p class="muted">
            As it was on <Time visit={visit} at={asOf} exact />
          </p>
        </>
      )}
    </form>
  );
}
