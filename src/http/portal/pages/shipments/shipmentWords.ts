// Paths of shipments, and shipments as pairs of a label and a text, to show them and to compare two versions.
import { fieldsOf } from "../../../../domain/imports/fields.js";
import type { ShipmentVersion } from "../../../../queries/shipments/shipmentVersions.js";
import { momentInWords } from "../../shell/formats.js";
import { idInPath } from "../../shell/markup.js";

export const shipmentsPath = "/portal/shipments";
export const shipmentPath = (shipmentId: string): string => `${shipmentsPath}/${idInPath(shipmentId)}`;

type Values = Readonly<Record<string, unknown>>;
type ShipmentContent = Pick<ShipmentVersion, "fields" | "items">;

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

export function placeInWords(values: Values, end: "origin" | "destination"): string {
  const country = textOf(values[`${end}CountryCode`]);
  const parts = [values[`${end}Suburb`], values[`${end}State`], values[`${end}PostCode`], country === "AU" ? "" : country].map(textOf);
  return parts.filter((part) => part !== "").join(" ") || "an unknown place";
}

export const routeInWords = (values: Values): string => `${placeInWords(values, "origin")} to ${placeInWords(values, "destination")}`;

/** The standard fields and then the custom fields. Fields without a value are left out. */
export function shipmentFieldTexts(fields: Values, timezone: string): [label: string, text: string][] {
  const standardTexts = fieldsOf("shipment").map(({ name, heading, type }): [string, string] => {
    const text = textOf(fields[name]);
    return [heading, type === "time" && text !== "" ? momentInWords(new Date(text), timezone) : text];
  });
  return [...standardTexts, ...customTexts(fields)].filter(([, text]) => text !== "");
}

export function customTexts({ customFields }: Values): [label: string, text: string][] {
  const entries = typeof customFields === "object" && customFields !== null ? Object.entries(customFields) : [];
  return entries.map(([name, value]): [string, string] => [`Custom field ${name}`, textOf(value)]).sort(([a], [b]) => (a < b ? -1 : 1));
}

export function lineTexts(item: unknown): [label: string, text: string][] {
  const values = typeof item === "object" && item !== null ? (item as Values) : {};
  return fieldsOf("goodsLine").map(({ name, heading }): [string, string] => [heading, textOf(values[name])]);
}

const lineInWords = (item: unknown): string =>
  lineTexts(item)
    .flatMap(([label, text]) => (text === "" ? [] : [`${label} ${text}`]))
    .join(", ");

/** The differences between two versions. `before` is empty for something new, `after` for something removed. */
export function changesBetween(earlier: ShipmentContent, later: ShipmentContent, timezone: string) {
  const texts = ({ fields, items }: ShipmentContent) =>
    new Map([
      ...shipmentFieldTexts(fields, timezone),
      ...items.map((item, index): [string, string] => [`Line ${index + 1}`, lineInWords(item)]),
    ]);
  const [before, after] = [texts(earlier), texts(later)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((what) => ({ what, before: before.get(what) ?? "", after: after.get(what) ?? "" }))
    .filter((change) => change.before !== change.after);
}
