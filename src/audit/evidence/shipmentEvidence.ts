// The versions of shipments that are not reversed: the one that the ledger should show, and those that it should keep hidden.
import { canonical, storable } from "../canonical.js";
import { sum, type TableDigest } from "./digests.js";
import type { FoldedShipment, ImportFold } from "./importFold.js";
import type { ImportReversals } from "./reversalEvidence.js";

export interface AuditedShipment extends Pick<FoldedShipment, "shipmentId" | "fields" | "items"> {
  readonly importId: string;
  /** Commit position of the import's ImportRequested. */
  readonly position: bigint;
}

export interface ShipmentEvidence {
  /** By organisation and shipmentId. */
  readonly shown: ReadonlyMap<string, AuditedShipment>;
  /** What `hidden_shipments` should have of the import at this position. Hidden versions may be many, so only their digest is kept. */
  hidden(position: string): TableDigest | undefined;
  /** An import has completed. */
  add(fold: ImportFold, reversals: ImportReversals | undefined): void;
}

export const shipmentKey = (organisationId: string, shipmentId: string): string => JSON.stringify([organisationId, shipmentId]);

export function shipmentEvidence(): ShipmentEvidence {
  const shown = new Map<string, AuditedShipment>();
  const origins = new Map<string, Origin>();
  const hiddenOf = new Map<string, HiddenVersions>();
  const hide = ({ position, ...version }: AuditedShipment) => {
    const origin = origins.get(String(position));
    if (!origin) return;
    const hidden = hiddenOf.get(String(position)) ?? noVersions();
    addHidden(hidden, { ...version, ...origin });
    hiddenOf.set(String(position), hidden);
  };
  return {
    shown,
    hidden(position) {
      const hidden = hiddenOf.get(position);
      return hidden && digestOfHidden(hidden);
    },
    add(fold, reversals) {
      const { requested, ended, importId } = fold;
      if (requested?.data.kind !== "shipments" || ended?.type !== "ImportCompleted") return;
      const position = requested.position.commit;
      origins.set(String(position), {
        importId,
        sourceDetails: storable(requested.data.sourceDetails),
        updatedAt: new Date(ended.data.at),
      });
      for (const { shipmentId, fields, items } of standingIn(fold, reversals)) {
        const key = shipmentKey(requested.data.organisationId, shipmentId);
        const version = { shipmentId, fields, items, importId, position };
        const other = shown.get(key);
        // Of two versions the one that was pushed later counts, whichever import completed first.
        const [newer, older] = other && other.position > position ? [other, version] : [version, other];
        shown.set(key, newer);
        if (older) hide(older);
      }
    },
  };
}

/** The last of the shipments with the same id. One reversal takes all of these back. */
function standingIn(fold: ImportFold, reversals: ImportReversals | undefined): Iterable<FoldedShipment> {
  const last = new Map<string, FoldedShipment>();
  const reversed = new Set<string>();
  for (const shipment of [...(fold.shipments?.values() ?? [])].sort((a, b) => a.number - b.number)) {
    last.set(shipment.shipmentId, shipment);
    if (reversals?.ofShipment(shipment.number)) reversed.add(shipment.shipmentId);
  }
  for (const shipmentId of reversed) last.delete(shipmentId);
  return last.values();
}

interface Origin {
  readonly importId: string;
  readonly sourceDetails: string;
  readonly updatedAt: Date;
}

/** `fields` and `items` are digests. */
export interface HiddenVersion extends Origin, Pick<FoldedShipment, "shipmentId" | "fields" | "items"> {}

/** The hidden versions of one import, in whatever order they come. */
export interface HiddenVersions {
  count: number;
  digest: bigint;
}

export const noVersions = (): HiddenVersions => ({ count: 0, digest: 0n });

export function addHidden(hidden: HiddenVersions, { shipmentId, fields, items, importId, sourceDetails, updatedAt }: HiddenVersion): void {
  hidden.count += 1;
  hidden.digest = sum(hidden.digest, canonical([shipmentId, fields, items, importId, sourceDetails, updatedAt.toISOString()]));
}

export const digestOfHidden = ({ count, digest }: HiddenVersions): TableDigest => ({
  count,
  said: `${count} versions`,
  digest: digest.toString(16),
});
