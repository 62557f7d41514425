import type { Location } from "../geography/geography.js";
import { customFieldPrefix, shipmentFields } from "../imports/columns.js";
import { parseDecimal } from "../imports/decimal.js";
import { instantOf } from "../imports/timestamp.js";
import { type Cell, type Columns, cellText } from "./cells.js";

/** One of a shipment's own columns, and what a cell in it means: two texts with one meaning do not contradict each other. */
export interface ComparedColumn {
  readonly name: string;
  /** Undefined where the cell means nothing that could be compared: its place is not known, which is a fault of its own. */
  meaning(cells: readonly Cell[], origin: Location | undefined, destination: Location | undefined): string | undefined;
}

const partOf: Record<string, keyof Location> = {
  PostCode: "postalCode",
  Suburb: "suburb",
  State: "state",
  CountryCode: "countryCode",
};

/** The columns that must agree on every line of a shipment. A blank against a value is a contradiction as well. */
export function comparedColumns(columns: Columns, timezone: string): ComparedColumn[] {
  return columns.fields.flatMap((field, index) => {
    const compared = field !== undefined && field !== "shipmentId" && (isShipmentField(field) || field.startsWith(customFieldPrefix));
    return compared ? [comparedColumn(field, index, columns.names[index] ?? field, timezone)] : [];
  });
}

function isShipmentField(field: string): boolean {
  return (shipmentFields as readonly string[]).includes(field);
}

function comparedColumn(field: string, index: number, name: string, timezone: string): ComparedColumn {
  const text = (cells: readonly Cell[]) => cellText(cells[index]).trim();
  const folded = (cells: readonly Cell[]) => text(cells).normalize("NFC").toLowerCase();
  const place = /^(origin|destination)(PostCode|Suburb|State|CountryCode)$/.exec(field);
  if (place) {
    const part = partOf[place[2] ?? ""] ?? "postalCode";
    const atOrigin = place[1] === "origin";
    return { name, meaning: (_, origin, destination) => (atOrigin ? origin : destination)?.[part] };
  }
  if (field === "quoteDate") return { name, meaning: (cells) => String(instantOf(text(cells), timezone) ?? folded(cells)) };
  if (field === "totalCostReceived") return { name, meaning: (cells) => String(parseDecimal(text(cells)) ?? folded(cells)) };
  return { name, meaning: folded };
}
