// A JSON push becomes the file its customer would have uploaded, so that both lanes share one importer.
import { activityFields, customFieldPrefix, elementColumn, goodsLineFields, shipmentFields } from "../imports/columns.js";
import type { ActivityPush } from "./activityPush.js";
import type { ShipmentPush } from "./shipmentPush.js";

type Value = string | number | undefined;

export function shipmentsToCsv(push: ShipmentPush): string {
  const custom = [...new Set(push.shipments.flatMap((shipment) => Object.keys(shipment.customFields ?? {})))];
  const lines = [line([elementColumn, ...shipmentFields, ...custom.map((key) => customFieldPrefix + key), ...goodsLineFields])];
  push.shipments.forEach((shipment, index) => {
    const own = [
      index + 1,
      ...shipmentFields.map((field) => shipment[field]),
      ...custom.map((key) => (shipment.customFields && Object.hasOwn(shipment.customFields, key) ? shipment.customFields[key] : undefined)),
    ];
    for (const item of shipment.items) lines.push(line([...own, ...goodsLineFields.map((field) => item[field])]));
  });
  return lines.join("");
}

export function activitiesToCsv(push: ActivityPush): string {
  const rows = push.activities.map((activity, index) => line([index + 1, ...activityFields.map((field) => activity[field])]));
  return line([elementColumn, ...activityFields]) + rows.join("");
}

const line = (values: readonly Value[]) => `${values.map(cell).join(",")}\r\n`;

function cell(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
