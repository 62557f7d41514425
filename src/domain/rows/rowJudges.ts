import { restoreLeadingZeros } from "../geography/postalCode.js";
import { customFieldPrefix, type Field, fieldsOf } from "../imports/fields.js";
import { type Cell, type Columns, type JudgedValues, type Row, rowFaults, textColumn } from "./cells.js";
import { type Fault, fault, reasonOf } from "./faults.js";
import { fieldsReader } from "./fieldReader.js";
import type { RowContext } from "./rowContext.js";

/**
 * Judges a goods line (`item`) together with its shipment's fields. Fields without a value are absent. A shipment's fields are in the
 * order of `importFields`, with the custom fields after the places.
 */
export function shipmentLineJudge(columns: Columns, context: RowContext) {
  const fields = fieldsOf("shipment");
  const afterPlaces = fields.findLastIndex(({ type }) => type === "place") + 1;
  const isNoPlace = ({ type }: Field) => type !== "place";
  const readFirst = fieldsReader(columns, fields.slice(0, afterPlaces).filter(isNoPlace), context);
  const readOrigin = placeReader(columns, "origin", context);
  const readDestination = placeReader(columns, "destination", context);
  const readCustom = customFieldsReader(columns);
  const readRest = fieldsReader(columns, fields.slice(afterPlaces), context);
  const readItem = fieldsReader(columns, fieldsOf("goodsLine"), context);
  return (row: Row) => {
    const { cells } = row;
    const faults = rowFaults(row);
    const values: Record<string, unknown> = readFirst(cells, faults);
    const origin = readOrigin(cells, faults);
    const destination = readDestination(cells, faults);
    const customFields = readCustom(cells, faults);
    const customerId = values["customerId"];
    const missing = customerId ? context.mandatoryCustomFields(String(customerId)).filter((key) => !hasField(customFields, key)) : [];
    if (missing.length > 0) {
      const sentence = `Missing mandatory custom field(s): ${missing.join(", ")}`;
      faults.push(fault("missingCustomField", sentence, ...missing.map((key) => customFieldPrefix + key)));
    }
    Object.assign(values, origin.values, destination.values);
    readRest(cells, faults, values);
    if (customFields) values["customFields"] = customFields;
    values["item"] = readItem(cells, faults);
    const judged: JudgedValues<Record<string, unknown>> = faults.length > 0 ? reasonOf(faults) : { values };
    return { judged, origin: origin.location, destination: destination.location };
  };
}

/** `hasOwn`, since a custom field's key may be the name of a property that every object inherits. */
const hasField = (customFields: Record<string, string> | undefined, key: string): boolean =>
  customFields !== undefined && Object.hasOwn(customFields, key);

function placeReader(columns: Columns, end: "origin" | "destination", context: RowContext) {
  const names = [`${end}PostCode`, `${end}Suburb`, `${end}State`, `${end}CountryCode`] as const;
  const readers = names.map((name) => textColumn(columns, name));
  const sentence = end === "origin" ? "Origin Zone(s) not found" : "Destination Zone(s) not found";
  const notFound = fault("zoneNotFound", sentence, names[0], names[1]);
  return (cells: readonly Cell[], faults: Fault[]) => {
    const [code, suburb, state, country] = readers.map((read) => read(cells, faults));
    const isComplete = code !== undefined && suburb !== undefined && state !== undefined && country !== undefined;
    const location = isComplete ? context.locate(code, suburb, state, country) : undefined;
    if (isComplete && !location) faults.push({ ...notFound, advice: context.locationFault(code, suburb, state, country) });
    const values: Record<string, string> = {};
    if (code) values[names[0]] = location ? restoreLeadingZeros(code, location.postalCode) : code;
    if (suburb) values[names[1]] = suburb;
    if (state) values[names[2]] = state;
    if (country) values[names[3]] = country;
    return { values, location };
  };
}

function customFieldsReader(columns: Columns): (cells: readonly Cell[], faults: Fault[]) => Record<string, string> | undefined {
  const fields = columns.fields.filter((field): field is string => field?.startsWith(customFieldPrefix) ?? false);
  const readers = fields.map((field) => ({ key: field.slice(customFieldPrefix.length), read: textColumn(columns, field) }));
  return (cells, faults) => {
    let values: Record<string, string> | undefined;
    for (const { key, read } of readers) {
      const text = read(cells, faults);
      if (!text) continue;
      values ??= {};
      values[key] = text;
    }
    return values;
  };
}

export function activityJudge(columns: Columns, context: RowContext): (row: Row) => JudgedValues<Record<string, unknown>> {
  const read = fieldsReader(columns, fieldsOf("activity"), context);
  return (row) => {
    const faults = rowFaults(row);
    const values = read(row.cells, faults);
    return faults.length > 0 ? reasonOf(faults) : { values };
  };
}
