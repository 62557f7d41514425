import type { ShipmentVersion } from "../audit/shipmentVersions.js";

export function shipmentText(shipmentId: string, versions: readonly ShipmentVersion[]): string[] {
  return [`Shipment ${shipmentId}: ${versions.length} version${versions.length === 1 ? "" : "s"}`, ...versions.flatMap(versionText)];
}

function versionText(version: ShipmentVersion, index: number): string[] {
  const { importId, keyPrefix, requestId, fileName, sourceDetails, pushedAt, writtenAt, rows, fields, items } = version;
  return [
    "",
    `Version ${index + 1}, in the ledger since ${writtenAt}`,
    `  import  ${importId}, row${rows.length === 1 ? "" : "s"} ${rows.join(", ")} of ${fileName} (${sourceDetails})`,
    `  pushed  ${pushedAt} with key ${keyPrefix}..., request ${requestId}`,
    ...Object.entries(fields).map(([name, value]) => `  ${name} = ${shown(value)}`),
    ...items.map((item, line) => `  item ${line + 1} = ${shown(item)}`),
  ];
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
