import type { Location } from "../geography/geography.js";
import { rememberingNameKey } from "../geography/names.js";
import { readNumber } from "../imports/columns/decimal.js";
import { customFieldPrefix, type FieldType, fieldsOf, isNumber } from "../imports/fields.js";
import { instantOf } from "../imports/timestamp.js";
import { type Cell, type Columns, cellText } from "./cells.js";

/** One of a shipment's own columns, and what a cell in it means: two texts with one meaning do not contradict each other. */
export interface ComparedColumn {
  readonly name: string;
  readonly field: string;
  /** Undefined where the place is not known. */
  meaning(cells: readonly Cell[], origin: Location | undefined, destination: Location | undefined): string | undefined;
  /** The postcode or suburb as written, which is compared where the place of one of the lines is not known. Undefined for a blank. */
  written?(cells: readonly Cell[]): string | undefined;
}

const partOf: Record<string, keyof Location> = {
  PostCode: "postalCode",
  Suburb: "suburb",
  State: "state",
  CountryCode: "countryCode",
};

const shipmentTypes = new Map<string, FieldType>(fieldsOf("shipment").map(({ name, type }) => [name, type]));

/** The columns that must agree on every line of a shipment. A blank contradicts a value, except in a column of a place. */
export function comparedColumns({ fields, names, decimal }: Columns, timezone: string): ComparedColumn[] {
  const keyOf = rememberingNameKey();
  return fields.flatMap((field, index): ComparedColumn[] => {
    const type = field?.startsWith(customFieldPrefix) ? "text" : shipmentTypes.get(field ?? "");
    if (field === undefined || field === "shipmentId" || type === undefined) return [];
    const name = names[index] ?? field;
    const text = (cells: readonly Cell[]) => cellText(cells[index]).trim();
    const folded = (cells: readonly Cell[]) => text(cells).normalize("NFC").toLowerCase();
    const place = /^(origin|destination)(PostCode|Suburb|State|CountryCode)$/.exec(field);
    if (place) {
      const part = partOf[place[2] ?? ""] ?? "postalCode";
      const atOrigin = place[1] === "origin";
      const found = (origin: Location | undefined, destination: Location | undefined) => (atOrigin ? origin : destination)?.[part];
      // States and countries have too many spellings to tell whether two differ, and a blank one is found by the postcode.
      if (part !== "postalCode" && part !== "suburb") return [{ name, field, meaning: (_, ...places) => found(...places) }];
      const meaning: ComparedColumn["meaning"] = (_, ...places) => {
        const answered = found(...places); // in the spelling that was asked for: Brisbane-City or Brisbane City
        return answered === undefined ? undefined : keyOf(answered);
      };
      return [{ name, field, meaning, written: (cells) => keyOf(text(cells)).replace(/^0+/, "") || undefined }];
    }
    if (type === "time") return [{ name, field, meaning: (cells) => String(instantOf(text(cells), timezone) ?? folded(cells)) }];
    if (isNumber({ type })) return [{ name, field, meaning: (cells) => String(readNumber(text(cells), decimal) ?? folded(cells)) }];
    return [{ name, field, meaning: folded }];
  });
}
