// A small file that imports without a rejected row: an organisation's own columns, customers, codes and places.
import type { Catalogue } from "../catalogue/catalogue.js";
import type { Geography, Location } from "../geography/geography.js";
import { columnsOf, customFieldPrefix, type Field, isNumber } from "../imports/fields.js";
import { rowContext } from "../rows/rowContext.js";
import { examplePlaces } from "./examplePlaces.js";
import { matchImportHeader } from "./header.js";

type Kind = "shipments" | "activities";

interface Known {
  readonly catalogue: Catalogue;
  readonly geography: Geography;
  /** Codes that the organisation has used already; may be empty. */
  readonly warehouseCodes: readonly string[];
  readonly chargeCodes: readonly string[];
  readonly now: Date;
}

type Values = Readonly<Record<string, string>>;

export interface ExampleTable {
  readonly columns: readonly { readonly name: string; readonly type: "text" | "number" | "time" }[];
  /** Times are ISO 8601, with a zone where they have a clock. */
  readonly rows: readonly (readonly string[])[];
}

export function exampleTable(kind: Kind, known: Known): ExampleTable {
  const rows = kind === "shipments" ? shipmentRows(known) : activityRows(known);
  const custom = kind === "shipments" ? [...known.catalogue.customFieldKeys] : [];
  const columns = [
    ...columnsOf(kind).map((field) => ({ name: field.name as string, type: typeOf(field) })),
    ...custom.map((key) => ({ name: customColumn(key), type: "text" as const })),
  ];
  return { columns, rows: rows.map((row) => columns.map(({ name }) => row[name] ?? "")) };
}

const typeOf = (field: Field): ExampleTable["columns"][number]["type"] =>
  isNumber(field) ? "number" : field.type === "time" ? "time" : "text";

/** The name of a custom field's column: its key, or `customFields.<key>` where the key is also another column's name. */
function customColumn(key: string): string {
  const ours = columnsOf("shipments").map(({ name }) => name);
  return matchImportHeader([...ours, key], { kind: "shipments", source: "file", customFieldKeys: [key] }).ok
    ? key
    : `${customFieldPrefix}${key}`;
}

/** Two goods lines of one shipment, and a shipment of one line. */
function shipmentRows({ catalogue, geography, now }: Known): Values[] {
  const [from, to] = examplePlaces(catalogue, rowContext(catalogue, geography));
  if (!from || !to) return [];
  const keys = [...catalogue.customFieldKeys];
  const custom = Object.fromEntries(keys.map((key, index) => [customColumn(key), String(1001 + index)]));
  const [first, second = first] = [...catalogue.customers.keys()];
  const shared = { ...placeValues("origin", from), ...placeValues("destination", to), ...custom, quoteDate: isoDay(now) };
  const one = { ...shared, shipmentId: "EXAMPLE-1", customerId: first ?? "", totalCostReceived: "118.71" };
  const two = { ...shared, shipmentId: "EXAMPLE-2", customerId: second ?? "", totalCostReceived: "42.5" };
  return [
    { ...one, itemType: "PALLET", itemQuantity: "2", itemWeight: "180" },
    { ...one, itemType: "CARTON", itemQuantity: "12", itemWeight: "8.5" },
    { ...two, itemType: "CARTON", itemQuantity: "1", itemWeight: "4" },
  ];
}

const placeValues = (end: "origin" | "destination", { postalCode, suburb, state, countryCode }: Location): Values => ({
  [`${end}PostCode`]: postalCode,
  [`${end}Suburb`]: suburb,
  [`${end}State`]: state,
  [`${end}CountryCode`]: countryCode,
});

function activityRows({ catalogue, warehouseCodes, chargeCodes, now }: Known): Values[] {
  const [warehouse = "SYD1", otherWarehouse = warehouse] = warehouseCodes;
  const charges = chargeCodes.length > 0 ? chargeCodes : ["PICK", "PACK", "STORAGE"];
  const customers = [...catalogue.customers.keys()];
  const day = isoDay(now);
  return [0, 1, 2].map((index) => ({
    warehouseCode: index === 2 ? otherWarehouse : warehouse,
    chargeCode: charges[index % charges.length] ?? "",
    quantity: ["3", "1.5", "12"][index] ?? "1",
    activityTimestamp: `${day}T0${index}:30:00Z`,
    customerId: customers[index % Math.max(1, customers.length)] ?? "",
    reference: `EXAMPLE-${index + 1}`,
    status: "",
  }));
}

const isoDay = (now: Date): string => now.toISOString().slice(0, 10);
