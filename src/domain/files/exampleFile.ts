// Makes a small file that imports without a rejected row, from the organisation's own columns, customers, codes and places.
import type { Catalogue } from "../catalogue/catalogue.js";
import { parsePostcodeRange } from "../catalogue/zones.js";
import type { Geography, Location } from "../geography/geography.js";
import { columnsOf, customFieldPrefix, type Field, type ImportKind, isNumberField } from "../imports/fields.js";
import { type RowContext, rowContext } from "../rows/rowContext.js";
import { matchImportHeader } from "./header.js";

interface ExampleSources {
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
  /** Times are ISO 8601. Those with a time of day have a zone. */
  readonly rows: readonly (readonly string[])[];
}

/** The table has every column of the kind. Cells without an example value are empty. */
export function exampleTable(kind: ImportKind, sources: ExampleSources): ExampleTable {
  const rows = kind === "shipments" ? shipmentRows(sources) : activityRows(sources);
  const custom = kind === "shipments" ? [...sources.catalogue.customFieldKeys] : [];
  const columns = [
    ...columnsOf(kind).map((field) => ({ name: field.name as string, type: typeOf(field) })),
    ...custom.map((key) => ({ name: customColumn(key), type: "text" as const })),
  ];
  return { columns, rows: rows.map((row) => columns.map(({ name }) => row[name] ?? "")) };
}

const typeOf = (field: Field): ExampleTable["columns"][number]["type"] =>
  isNumberField(field) ? "number" : field.type === "time" ? "time" : "text";

/** The name of a custom field's column: its key, or `customFields.<key>` if the key is also another column's name. */
function customColumn(key: string): string {
  const contractColumns = columnsOf("shipments").map(({ name }) => name);
  return matchImportHeader([...contractColumns, key], { kind: "shipments", source: "file", customFieldKeys: [key] }).ok
    ? key
    : `${customFieldPrefix}${key}`;
}

/** Two goods lines of one shipment, and a shipment of one line. */
function shipmentRows({ catalogue, geography, now }: ExampleSources): Values[] {
  const [from, to] = examplePlaces(catalogue, rowContext(catalogue, geography));
  if (!from || !to) return [];
  const keys = [...catalogue.customFieldKeys];
  const custom = Object.fromEntries(keys.map((key, index) => [customColumn(key), String(1001 + index)]));
  const [firstCustomer, secondCustomer = firstCustomer] = [...catalogue.customers.keys()];
  const shared = { ...placeValues("origin", from), ...placeValues("destination", to), ...custom, quoteDate: isoDay(now) };
  const firstShipment = { ...shared, shipmentId: "EXAMPLE-1", customerId: firstCustomer ?? "", totalCostReceived: "118.71" };
  const secondShipment = { ...shared, shipmentId: "EXAMPLE-2", customerId: secondCustomer ?? "", totalCostReceived: "42.5" };
  return [
    { ...firstShipment, itemType: "PALLET", itemQuantity: "2", itemWeight: "180" },
    { ...firstShipment, itemType: "CARTON", itemQuantity: "12", itemWeight: "8.5" },
    { ...secondShipment, itemType: "CARTON", itemQuantity: "1", itemWeight: "4" },
  ];
}

const placeValues = (end: "origin" | "destination", { postalCode, suburb, state, countryCode }: Location): Values => ({
  [`${end}PostCode`]: postalCode,
  [`${end}Suburb`]: suburb,
  [`${end}State`]: state,
  [`${end}CountryCode`]: countryCode,
});

function activityRows({ catalogue, warehouseCodes, chargeCodes, now }: ExampleSources): Values[] {
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

/** Well-known postcodes of the countries whose postcodes come with the service, for zones that are a whole country. */
const knownPostcodes: Readonly<Record<string, readonly string[]>> = { AU: ["2000", "3000"], US: ["10001", "94103"], CA: ["M5V", "V6B"] };
/** How many codes of a range are tried after its first one, which may not exist. */
const maxFurtherCodes = 60;
const maxZones = 40;

/** Two places that the organisation serves, in different zones if possible. A single place is returned twice; none gives an empty list. */
function examplePlaces({ file }: Catalogue, { locate }: Pick<RowContext, "locate">): Location[] {
  const zones = file.zoneMaps.flatMap((map) => map.zones);
  // Australia's postcodes are in memory already; those of other countries take a moment to load.
  const australiaFirst = zones.toSorted((a, b) => Number(b.country === "AU") - Number(a.country === "AU")).slice(0, maxZones);
  const found: Location[] = [];
  for (const { country, postcodes } of australiaFirst) {
    const codes = postcodes ? postcodes.slice(0, 1).flatMap((text) => firstCodesOf(country, text)) : (knownPostcodes[country] ?? []);
    const placesPerZone = postcodes ? 1 : 2;
    for (const code of codes) {
      const place = locate(code, "", "", country);
      if (place && found.push(place) >= 2) return found;
      if (place && found.length >= placesPerZone) break;
    }
  }
  const [onlyPlace] = found;
  return onlyPlace ? [onlyPlace, onlyPlace] : [];
}

function firstCodesOf(country: string, text: string): string[] {
  const range = parsePostcodeRange(country, text);
  if (!range) return [];
  if (!/^\d+$/.test(range.from)) return [range.from];
  const first = Number(range.from);
  const last = Math.min(Number(range.to), first + maxFurtherCodes);
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, index) => String(first + index).padStart(range.from.length, "0"));
}
