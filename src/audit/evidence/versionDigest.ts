import { createHash } from "node:crypto";
import { storable } from "../canonical.js";
import type { FoldedShipment } from "./importFold.js";

/** The shipments of one import as shipment_versions should have them. */
export interface DigestOfVersions {
  readonly versions: number;
  readonly digest: string;
}

export type VersionRow = Pick<FoldedShipment, "number" | "shipmentId" | "revisions">;

export function digestOfVersions(shipments: readonly VersionRow[]): DigestOfVersions {
  const hash = createHash("sha256");
  for (const { number, shipmentId, revisions } of shipments.toSorted((a, b) => a.number - b.number))
    hash.update(`${JSON.stringify([number, storable(shipmentId), revisions])}\n`);
  return { versions: shipments.length, digest: hash.digest("hex") };
}
