// A JSON push becomes the file that its customer would have uploaded, so that pushes and uploads share one importer.
import { customFieldPrefix, elementColumn, type FieldName, type FieldPart, pushFieldNames } from "../imports/fields.js";

type Value = string | number | undefined;
type FieldValues<Part extends FieldPart> = { readonly [Name in FieldName<Part>]?: Value };

/** The part of a checked push that its file needs. */
interface ShipmentsToWrite {
  readonly shipments: readonly Shipment[];
}

interface ActivitiesToWrite {
  readonly activities: readonly FieldValues<"activity">[];
}

type Shipment = FieldValues<"shipment"> & {
  readonly customFields?: Readonly<Record<string, string>> | undefined;
  readonly items: readonly FieldValues<"goodsLine">[];
};

const shipmentFields = pushFieldNames("shipment");
const goodsLineFields = pushFieldNames("goodsLine");
const activityFields = pushFieldNames("activity");

/** Yields the file line by line: each goods line repeats its shipment's fields, so the file may be many times as long as the body. */
export function* shipmentsToCsv(push: ShipmentsToWrite): Generator<string> {
  yield shipmentsHeader(customKeys(push));
  for (const { shipmentCells, items } of shipmentRecords(push)) for (const item of items) yield `${shipmentCells},${item}\r\n`;
}

/** The exact size of the file of `shipmentsToCsv`, computed without making it. */
export function shipmentsFileBytes(push: ShipmentsToWrite): number {
  let bytes = Buffer.byteLength(shipmentsHeader(customKeys(push)));
  for (const { shipmentCells, items } of shipmentRecords(push)) {
    bytes += items.length * (Buffer.byteLength(shipmentCells) + ",\r\n".length);
    for (const item of items) bytes += Buffer.byteLength(item);
  }
  return bytes;
}

/** For each shipment: the cells of its own fields, and those of each goods line. */
function* shipmentRecords(push: ShipmentsToWrite): Generator<{ shipmentCells: string; items: string[] }> {
  const custom = customKeys(push);
  for (const [index, shipment] of push.shipments.entries()) {
    const { customFields = {} } = shipment;
    const shipmentCells = cells([
      index + 1,
      ...shipmentFields.map((field) => shipment[field]),
      ...custom.map((key) => (Object.hasOwn(customFields, key) ? customFields[key] : undefined)),
    ]);
    yield { shipmentCells, items: shipment.items.map((item) => cells(goodsLineFields.map((field) => item[field]))) };
  }
}

const customKeys = (push: ShipmentsToWrite) => [...new Set(push.shipments.flatMap(({ customFields = {} }) => Object.keys(customFields)))];

const shipmentsHeader = (custom: readonly string[]) =>
  csvRecord([elementColumn, ...shipmentFields, ...custom.map((key) => customFieldPrefix + key), ...goodsLineFields]);

export function* activitiesToCsv(push: ActivitiesToWrite): Generator<string> {
  yield csvRecord([elementColumn, ...activityFields]);
  for (const [index, activity] of push.activities.entries()) {
    yield csvRecord([index + 1, ...activityFields.map((field) => activity[field])]);
  }
}

export function activitiesFileBytes(push: ActivitiesToWrite): number {
  let bytes = 0;
  for (const line of activitiesToCsv(push)) bytes += Buffer.byteLength(line);
  return bytes;
}

export const csvRecord = (values: readonly Value[]): string => `${cells(values)}\r\n`;

const cells = (values: readonly Value[]) => values.map(cell).join(",");

function cell(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
