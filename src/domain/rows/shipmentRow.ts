import type { Location } from "../geography/geography.js";
import { customFieldPrefix } from "../imports/columns.js";
import { parseDecimal } from "../imports/decimal.js";
import { limits } from "../imports/limits.js";
import { readTimestamp } from "../imports/timestamp.js";
import { type Cell, type Columns, type Judged, type ReadText, type Row, rawColumn, rowFaults, textColumn } from "./cells.js";
import type { RowContext } from "./rowContext.js";

/** A goods line together with the fields of its shipment; only what was given is there. */
export interface ShipmentLineValues {
  shipmentId: string;
  [field: string]: string | number | Record<string, string> | GoodsLine | undefined;
  customFields?: Record<string, string>;
  item: GoodsLine;
}

export type GoodsLine = { itemType: string; itemQuantity?: number; itemWeight?: number };

export interface JudgedLine {
  readonly judged: Judged<ShipmentLineValues>;
  readonly origin: Location | undefined;
  readonly destination: Location | undefined;
}

interface Place {
  readonly given: Record<string, string>;
  readonly location: Location | undefined;
}

export function shipmentLineJudge(columns: Columns, context: RowContext): (row: Row) => JudgedLine {
  const readShipment = textColumn(columns, "shipmentId", limits.identifierLength);
  const readCustomer = textColumn(columns, "customerId", limits.identifierLength);
  const readOrigin = placeReader(columns, "origin", context);
  const readDestination = placeReader(columns, "destination", context);
  const readCustom = customFieldsReader(columns);
  const readDate = rawColumn(columns, "quoteDate");
  const readAlias = textColumn(columns, "rateCardAlias");
  const readCost = rawColumn(columns, "totalCostReceived");
  const readItem = goodsLineReader(columns);
  return (row) => {
    const { cells } = row;
    const reasons = rowFaults(row);
    const shipmentId = readShipment(cells, reasons);
    if (shipmentId === "") reasons.push("No Shipment ID found");
    const customerId = readCustomer(cells, reasons);
    if (customerId && !context.knowsCustomer(customerId)) reasons.push("Customer not found");
    const origin = readOrigin(cells, reasons);
    const destination = readDestination(cells, reasons);
    const customFields = readCustom(cells, reasons);
    const missing = customerId ? context.mandatoryCustomFields(customerId).filter((key) => !has(customFields, key)) : [];
    if (missing.length > 0) reasons.push(`Missing mandatory custom field(s): ${missing.join(", ")}`);
    const dateText = readDate(cells);
    const quoteDate = dateText === "" ? "" : readTimestamp(dateText ?? "", context.timezone);
    if (quoteDate === undefined) reasons.push("Valid quote date is required");
    const rateCardAlias = readAlias(cells, reasons);
    const costText = readCost(cells);
    const totalCostReceived = parseDecimal(costText ?? "");
    if (costText !== "" && totalCostReceived === undefined) reasons.push("Valid total cost received is required");
    const item = readItem(cells, reasons);
    const places = { origin: origin.location, destination: destination.location };
    if (reasons.length > 0 || !shipmentId || !item) return { judged: { reason: reasons.join("; ") }, ...places };
    const values: Record<string, unknown> & { shipmentId: string } = { shipmentId };
    if (customerId) values["customerId"] = customerId;
    Object.assign(values, origin.given, destination.given);
    if (quoteDate) values["quoteDate"] = quoteDate;
    if (rateCardAlias) values["rateCardAlias"] = rateCardAlias;
    if (totalCostReceived !== undefined) values["totalCostReceived"] = totalCostReceived;
    if (customFields) values["customFields"] = customFields;
    return { judged: { values: Object.assign(values, { item }) as ShipmentLineValues }, ...places };
  };
}

/** A field that has no value is not kept; its key may be the name of something that every object inherits. */
const has = (customFields: Record<string, string> | undefined, key: string): boolean =>
  customFields !== undefined && Object.hasOwn(customFields, key);

function placeReader(
  columns: Columns,
  end: "origin" | "destination",
  context: RowContext,
): (cells: readonly Cell[], reasons: string[]) => Place {
  const names = [`${end}PostCode`, `${end}Suburb`, `${end}State`, `${end}CountryCode`] as const;
  const [readCode, readSuburb, readState, readCountry] = names.map((name) => textColumn(columns, name)) as [
    ReadText,
    ReadText,
    ReadText,
    ReadText,
  ];
  const notFound = end === "origin" ? "Origin Zone(s) not found" : "Destination Zone(s) not found";
  return (cells, reasons) => {
    const code = readCode(cells, reasons);
    const suburb = readSuburb(cells, reasons);
    const state = readState(cells, reasons);
    const country = readCountry(cells, reasons);
    const given: Record<string, string> = {};
    if (code) given[names[0]] = code;
    if (suburb) given[names[1]] = suburb;
    if (state) given[names[2]] = state;
    if (country) given[names[3]] = country;
    if (code === undefined || suburb === undefined || state === undefined || country === undefined) return { given, location: undefined };
    const location = context.locate(code, suburb, state, country);
    if (!location) reasons.push(notFound);
    return { given, location };
  };
}

function customFieldsReader(columns: Columns): (cells: readonly Cell[], reasons: string[]) => Record<string, string> | undefined {
  const fields = columns.fields.filter((field): field is string => field?.startsWith(customFieldPrefix) ?? false);
  const readers = fields.map((field) => ({ key: field.slice(customFieldPrefix.length), read: textColumn(columns, field) }));
  return (cells, reasons) => {
    let values: Record<string, string> | undefined;
    for (const { key, read } of readers) {
      const text = read(cells, reasons);
      if (!text) continue;
      values ??= {};
      values[key] = text;
    }
    return values;
  };
}

/** Quantity and weight may be left out; what is given has to be more than nothing. */
function goodsLineReader(columns: Columns): (cells: readonly Cell[], reasons: string[]) => GoodsLine | undefined {
  const readType = textColumn(columns, "itemType");
  const readQuantity = rawColumn(columns, "itemQuantity");
  const readWeight = rawColumn(columns, "itemWeight");
  return (cells, reasons) => {
    const itemType = readType(cells, reasons);
    if (itemType === "") reasons.push("Item type is required");
    const quantity = positive(readQuantity(cells));
    if (quantity === undefined) reasons.push("Valid item quantity is required");
    const weight = positive(readWeight(cells));
    if (weight === undefined) reasons.push("Valid item weight is required");
    if (!itemType) return undefined;
    const item: GoodsLine = { itemType };
    if (quantity) item.itemQuantity = quantity;
    if (weight) item.itemWeight = weight;
    return item;
  };
}

/** 0 where nothing was given, undefined where it is not a positive number. */
function positive(text: string | undefined): number | undefined {
  if (text === "") return 0;
  const value = parseDecimal(text ?? "");
  return value !== undefined && value > 0 ? value : undefined;
}
