import type { Location } from "../geography/geography.js";
import { withLostZeros } from "../geography/postalCode.js";
import { customFieldPrefix } from "../imports/columns.js";
import { parseDecimal } from "../imports/decimal.js";
import { limits } from "../imports/limits.js";
import { type Cell, type Columns, type Judged, type ReadText, type Row, rawColumn, rowFaults, textColumn } from "./cells.js";
import type { RowContext } from "./rowContext.js";
import { timeColumn } from "./timeColumn.js";

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
  const readDate = timeColumn(columns, "quoteDate", { timezone: context.timezone, reason: "Valid quote date is required" });
  const readAlias = textColumn(columns, "rateCardAlias");
  const costColumn = rawColumn(columns, "totalCostReceived");
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
    const quoteDate = readDate(cells, reasons);
    const rateCardAlias = readAlias(cells, reasons);
    const costText = costColumn.read(cells);
    const totalCostReceived = parseDecimal(costText ?? "");
    if (costText !== "" && totalCostReceived === undefined) costColumn.refuse(cells, reasons, "Valid total cost received is required");
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
    const complete = code !== undefined && suburb !== undefined && state !== undefined && country !== undefined;
    const location = complete ? context.locate(code, suburb, state, country) : undefined;
    if (complete && !location) reasons.push(notFound);
    const given: Record<string, string> = {};
    if (code) given[names[0]] = location ? withLostZeros(code, location.postalCode) : code;
    if (suburb) given[names[1]] = suburb;
    if (state) given[names[2]] = state;
    if (country) given[names[3]] = country;
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
  const quantityColumn = rawColumn(columns, "itemQuantity");
  const weightColumn = rawColumn(columns, "itemWeight");
  return (cells, reasons) => {
    const itemType = readType(cells, reasons);
    if (itemType === "") reasons.push("Item type is required");
    const quantity = positive(quantityColumn.read(cells));
    if (quantity === undefined) quantityColumn.refuse(cells, reasons, "Valid item quantity is required");
    const weight = positive(weightColumn.read(cells));
    if (weight === undefined) weightColumn.refuse(cells, reasons, "Valid item weight is required");
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
