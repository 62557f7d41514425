// A JSON push becomes the file its customer would have uploaded, so that both lanes share one importer.
import { activityFields, customFieldPrefix, elementColumn, goodsLineFields, shipmentFields } from "../imports/columns.js";
import type { ActivityPush } from "./activityPush.js";
import type { ShipmentPush } from "./shipmentPush.js";

type Value = string | number | undefined;

/** Line by line: each goods line repeats its shipment, so that the whole may be many times as long as the body was. */
export function* shipmentsToCsv(push: ShipmentPush): Generator<string> {
  const custom = [...new Set(push.shipments.flatMap((shipment) => Object.keys(shipment.customFields ?? {})))];
  yield line([elementColumn, ...shipmentFields, ...custom.map((key) => customFieldPrefix + key), ...goodsLineFields]);
  for (const [index, shipment] of push.shipments.entries()) {
    const own = [
      index + 1,
      ...shipmentFields.map((field) => shipment[field]),
      ...custom.map((key) => (shipment.customFields && Object.hasOwn(shipment.customFields, key) ? shipment.customFields[key] : undefined)),
    ];
    for (const item of shipment.items) yield line([...own, ...goodsLineFields.map((field) => item[field])]);
  }
}

export function* activitiesToCsv(push: ActivityPush): Generator<string> {
  yield line([elementColumn, ...activityFields]);
  for (const [index, activity] of push.activities.entries()) yield line([index + 1, ...activityFields.map((field) => activity[field])]);
}

const line = (values: readonly Value[]) => `${values.map(cell).join(",")}\r\n`;

function cell(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
