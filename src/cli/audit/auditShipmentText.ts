import type { NameOf } from "../../audit/history/names.js";
import type { ShipmentVersion } from "../../audit/history/shipmentVersions.js";

export function shipmentText(shipmentId: string, versions: readonly ShipmentVersion[], nameOf: NameOf): string[] {
  return [
    `Shipment ${shipmentId}: ${versions.length} version${versions.length === 1 ? "" : "s"}`,
    ...versions.flatMap((version, index) => versionText(version, index, nameOf)),
  ];
}

function versionText(version: ShipmentVersion, index: number, nameOf: NameOf): string[] {
  const { importId, by, requestId, fileName, sourceDetails, pushedAt, rows, fields, items } = version;
  return [
    "",
    `Version ${index + 1}, ${standing(version)}`,
    `  import  ${importId}, row${rows.length === 1 ? "" : "s"} ${rows.join(", ")} of ${fileName} (${sourceDetails})`,
    `  pushed  ${pushedAt} by ${nameOf(by)}, request ${requestId}`,
    ...Object.entries(fields).map(([name, value]) => `  ${name} = ${shown(value)}`),
    ...items.map((item, line) => `  item ${line + 1} = ${shown(item)}`),
  ];
}

function standing({ importId, writtenAt, supersededBy }: ShipmentVersion): string {
  if (supersededBy === null) return `in the ledger since ${writtenAt}`;
  const why = supersededBy === importId ? "the same import has it once more" : `import ${supersededBy} was pushed later and already there`;
  return `completed ${writtenAt}, never in the ledger: ${why}`;
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
