import type { Location } from "../geography/geography.js";
import { createCachedNameKey } from "../geography/names.js";
import { readNumber } from "../imports/columns/decimal.js";
import { customFieldPrefix, type FieldType, fieldsOf, isNumberField } from "../imports/fields.js";
import { instantOf } from "../imports/timestamp.js";
import { type Cell, type Columns, cellText } from "./cells.js";

/** One of a shipment's own columns, and what a cell in it means: two texts with one meaning do not contradict each other. */
export interface ComparedColumn {
  readonly name: string;
  readonly field: string;
  /** Undefined if the place is not known. */
  meaning(cells: readonly Cell[], origin: Location | undefined, destination: Location | undefined): string | undefined;
  /** The postcode or suburb as written, which is compared if the place of one of the lines is not known. Undefined for a blank. */
  writtenPlace?(cells: readonly Cell[]): string | undefined;
}

const locationParts: Record<string, keyof Location> = {
  PostCode: "postalCode",
  Suburb: "suburb",
  State: "state",
  CountryCode: "countryCode",
};

const shipmentTypes = new Map<string, FieldType>(fieldsOf("shipment").map(({ name, type }) => [name, type]));

/** The columns that must agree on every line of a shipment. A blank contradicts a value, except in a column of a place. */
export function comparedColumns({ fields, names, decimal }: Columns, timezone: string): ComparedColumn[] {
  const keyOf = createCachedNameKey();
  return fields.flatMap((field, index): ComparedColumn[] => {
    const type = field?.startsWith(customFieldPrefix) ? "text" : shipmentTypes.get(field ?? "");
    if (field === undefined || field === "shipmentId" || type === undefined) return [];
    const name = names[index] ?? field;
    const text = (cells: readonly Cell[]) => cellText(cells[index]).trim();
    const folded = (cells: readonly Cell[]) => text(cells).normalize("NFC").toLowerCase();
    const place = /^(origin|destination)(PostCode|Suburb|State|CountryCode)$/.exec(field);
    if (place) {
      const part = locationParts[place[2] ?? ""] ?? "postalCode";
      const isOrigin = place[1] === "origin";
      const placePart = (origin: Location | undefined, destination: Location | undefined) => (isOrigin ? origin : destination)?.[part];
      // Two spellings of a state or country may mean the same one, and a blank one follows from the postcode.
      if (part !== "postalCode" && part !== "suburb") return [{ name, field, meaning: (_, ...places) => placePart(...places) }];
      const meaning: ComparedColumn["meaning"] = (_, ...places) => {
        const value = placePart(...places); // the spelling that the row has: Brisbane-City or Brisbane City
        return value === undefined ? undefined : keyOf(value);
      };
      return [{ name, field, meaning, writtenPlace: (cells) => keyOf(text(cells)).replace(/^0+/, "") || undefined }];
    }
    if (type === "time") return [{ name, field, meaning: (cells) => String(instantOf(text(cells), timezone) ?? folded(cells)) }];
    if (isNumberField({ type })) return [{ name, field, meaning: (cells) => String(readNumber(text(cells), decimal) ?? folded(cells)) }];
    return [{ name, field, meaning: folded }];
  });
}
