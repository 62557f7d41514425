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
  yield shipmentsHeader(customKeys(push));
  for (const { own, items } of recordsOf(push)) for (const item of items) yield `${own},${item}\r\n`;
}

/** The exact size of the file of `shipmentsToCsv`, computed without making it. */
export function shipmentsFileBytes(push: ShipmentPush): number {
  let bytes = Buffer.byteLength(shipmentsHeader(customKeys(push)));
  for (const { own, items } of recordsOf(push)) {
    bytes += items.length * (Buffer.byteLength(own) + ",\r\n".length);
    for (const item of items) bytes += Buffer.byteLength(item);
  }
  return bytes;
}

/** The fields of each shipment, and those of its goods lines. */
function* recordsOf(push: ShipmentPush): Generator<{ own: string; items: string[] }> {
  const custom = customKeys(push);
  for (const [index, shipment] of push.shipments.entries()) {
    const { customFields = {} } = shipment;
    const own = cells([
      index + 1,
      ...shipmentFields.map((field) => shipment[field]),
      ...custom.map((key) => (Object.hasOwn(customFields, key) ? customFields[key] : undefined)),
    ]);
    yield { own, items: shipment.items.map((item) => cells(goodsLineFields.map((field) => item[field]))) };
  }
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
