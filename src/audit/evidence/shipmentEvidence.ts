// The versions of shipments that the ledger should show: of those that are not reversed, the ones that were pushed last.
import type { FoldedShipment, ImportFold } from "./importFold.js";
import type { ImportReversals } from "./reversalEvidence.js";

export interface AuditedShipment extends Pick<FoldedShipment, "shipmentId" | "fields" | "items"> {
  readonly importId: string;
  /** Commit position of the import's ImportRequested. */
  readonly position: bigint;
}

/** By organisation and shipmentId. */
export type ShipmentEvidence = Map<string, AuditedShipment>;

export const shipmentKey = (organisationId: string, shipmentId: string): string => JSON.stringify([organisationId, shipmentId]);

/** An import has ended. */
export function addShipments(shown: ShipmentEvidence, fold: ImportFold, reversals: ImportReversals | undefined): void {
  const { requested, ended, importId } = fold;
  if (requested?.data.kind !== "shipments" || ended?.type !== "ImportCompleted") return;
  const position = requested.position.commit;
  for (const { shipmentId, fields, items } of unreversedShipments(fold, reversals)) {
    const key = shipmentKey(requested.data.organisationId, shipmentId);
    const other = shown.get(key);
    // Of two versions the one that was pushed later counts, whichever import completed first.
    if (!other || other.position < position) shown.set(key, { shipmentId, fields, items, importId, position });
  }
}

/** The last of the shipments with the same id. One reversal takes all of these back. */
function unreversedShipments(fold: ImportFold, reversals: ImportReversals | undefined): Iterable<FoldedShipment> {
  const last = new Map<string, FoldedShipment>();
  const reversed = new Set<string>();
  for (const shipment of [...(fold.shipments?.values() ?? [])].sort((a, b) => a.number - b.number)) {
    last.set(shipment.shipmentId, shipment);
    if (reversals?.ofShipment(shipment.number)) reversed.add(shipment.shipmentId);
  }
  for (const shipmentId of reversed) last.delete(shipmentId);
  return last.values();
}
