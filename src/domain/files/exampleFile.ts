// A small file that imports without a rejected row: an organisation's own columns, customers, codes and places.
import type { Catalogue } from "../catalogue/catalogue.js";
import { parseRange } from "../catalogue/zones.js";
import type { Geography, Location } from "../geography/geography.js";
import { columnsOf, customFieldPrefix, type Field, isNumber, type Kind } from "../imports/fields.js";
import { type RowContext, rowContext } from "../rows/rowContext.js";
import { matchImportHeader } from "./header.js";

interface ExampleValues {
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

/** Has every column; where a row has no value below, the cell is empty. */
export function exampleTable(kind: Kind, known: ExampleValues): ExampleTable {
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
function shipmentRows({ catalogue, geography, now }: ExampleValues): Values[] {
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

function activityRows({ catalogue, warehouseCodes, chargeCodes, now }: ExampleValues): Values[] {
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
  }));
}

const isoDay = (now: Date): string => now.toISOString().slice(0, 10);

/** A well-known code of each country whose postcodes come with the service, for zones that are a whole country. */
const capitals: Readonly<Record<string, readonly string[]>> = { AU: ["2000", "3000"], US: ["10001", "94103"], CA: ["M5V", "V6B"] };
/** How many codes of a range are tried, since its first ones may not exist. */
const mostTried = 60;
const mostZones = 40;

/** Two places that the organisation serves, in different zones if possible. The same place twice where only one is found, none where none is. */
function examplePlaces({ file }: Catalogue, { locate }: Pick<RowContext, "locate">): Location[] {
  const zones = file.zoneMaps.flatMap((map) => map.zones);
  // Australia's postcodes are in memory already; those of other countries take a moment to load.
  const nearFirst = zones.toSorted((a, b) => Number(b.country === "AU") - Number(a.country === "AU")).slice(0, mostZones);
  const found: Location[] = [];
  for (const { country, postcodes } of nearFirst) {
    const codes = postcodes ? postcodes.slice(0, 1).flatMap((text) => codesOf(country, text)) : (capitals[country] ?? []);
    const wanted = postcodes ? 1 : 2;
    for (const code of codes) {
      const place = locate(code, "", "", country);
      if (place && found.push(place) >= 2) return found;
      if (place && found.length >= wanted) break;
    }
  }
  const [only] = found;
  return only ? [only, only] : [];
}

function codesOf(country: string, text: string): string[] {
  const range = parseRange(country, text);
  if (!range) return [];
  if (!/^\d+$/.test(range.from)) return [range.from];
  const first = Number(range.from);
  const last = Math.min(Number(range.to), first + mostTried);
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, index) => String(first + index).padStart(range.from.length, "0"));
}
