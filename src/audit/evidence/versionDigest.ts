import { createHash } from "node:crypto";
import { storable } from "../canonical.js";
import type { FoldedShipment } from "./importFold.js";

/** The shipments of one import as shipment_versions should have them. */
export interface DigestOfVersions {
  readonly versions: number;
  readonly digest: string;
}

export type VersionRow = Pick<FoldedShipment, "shipmentId" | "revisions">;

export function digestOfVersions(shipments: ReadonlyMap<number, VersionRow>): DigestOfVersions {
  const hash = createHash("sha256");
  for (const [number, { shipmentId, revisions }] of [...shipments].sort(([a], [b]) => a - b))
    hash.update(`${JSON.stringify([number, storable(shipmentId), revisions])}\n`);
  return { versions: shipments.size, digest: hash.digest("hex") };
}
