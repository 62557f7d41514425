// A JSON push becomes the file that its customer would have uploaded, so that pushes and uploads share one importer.
import { customFieldPrefix, elementColumn, type FieldName, type FieldPart, pushedNames } from "../imports/fields.js";

type Value = string | number | undefined;
type Fields<Part extends FieldPart> = { readonly [Name in FieldName<Part>]?: Value };

/** Checked pushes, as far as their files need them. */
interface ShipmentPush {
  readonly shipments: readonly Shipment[];
}

interface ActivityPush {
  readonly activities: readonly Fields<"activity">[];
}

type Shipment = Fields<"shipment"> & {
  readonly customFields?: Readonly<Record<string, string>> | undefined;
  readonly items: readonly Fields<"goodsLine">[];
};

const shipmentFields = pushedNames("shipment");
const goodsLineFields = pushedNames("goodsLine");
const activityFields = pushedNames("activity");

/** Line by line: each goods line repeats the fields of its shipment, so the file may be many times as long as the body. */
export function* shipmentsToCsv(push: ShipmentPush): Generator<string> {
  const custom = customKeys(push);
  yield shipmentsHeader(custom);
  for (const [index, shipment] of push.shipments.entries()) {
    const own = cells([
      index + 1,
      ...shipmentFields.map((field) => shipment[field]),
      ...custom.map((key) => (shipment.customFields && Object.hasOwn(shipment.customFields, key) ? shipment.customFields[key] : undefined)),
    ]);
    for (const item of shipment.items) yield `${own},${cells(goodsLineFields.map((field) => item[field]))}\r\n`;
  }
}

/** The exact size of the file of `shipmentsToCsv`, computed without making it. */
export function shipmentsFileBytes(push: ShipmentPush): number {
  const custom = customKeys(push);
  const header = shipmentsHeader(custom);
  const columns = 1 + shipmentFields.length + custom.length + goodsLineFields.length;
  const separators = columns - 1 + "\r\n".length;
  let bytes = Buffer.byteLength(header);
  for (const [index, shipment] of push.shipments.entries()) {
    const repeated = String(index + 1).length + ownBytes(shipment) + separators;
    bytes += repeated * shipment.items.length;
    for (const item of shipment.items) for (const field of goodsLineFields) bytes += cellBytes(item[field]);
  }
  return bytes;
}

function ownBytes(shipment: Shipment): number {
  let bytes = 0;
  for (const field of shipmentFields) bytes += cellBytes(shipment[field]);
  for (const value of Object.values(shipment.customFields ?? {})) bytes += cellBytes(value);
  return bytes;
}

const customKeys = (push: ShipmentPush) => [...new Set(push.shipments.flatMap(({ customFields = {} }) => Object.keys(customFields)))];

const shipmentsHeader = (custom: readonly string[]) =>
  csvRecord([elementColumn, ...shipmentFields, ...custom.map((key) => customFieldPrefix + key), ...goodsLineFields]);

export function* activitiesToCsv(push: ActivityPush): Generator<string> {
  yield csvRecord([elementColumn, ...activityFields]);
  for (const [index, activity] of push.activities.entries()) {
    yield csvRecord([index + 1, ...activityFields.map((field) => activity[field])]);
  }
}

export function activitiesFileBytes(push: ActivityPush): number {
  let bytes = 0;
  for (const line of activitiesToCsv(push)) bytes += Buffer.byteLength(line);
  return bytes;
}

/** One record of a CSV file. */
export const csvRecord = (values: readonly Value[]): string => `${cells(values)}\r\n`;

const cells = (values: readonly Value[]) => values.map(cell).join(",");

function cell(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

const cellBytes = (value: Value) => Buffer.byteLength(cell(value));
