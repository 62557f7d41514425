import type { Cell, Columns, Row } from "../../../src/domain/rows/cells.js";
import type { RowContext } from "../../../src/domain/rows/rowContext.js";

const places = [
  { postalCode: "2000", suburb: "Sydney", city: "Sydney", state: "NSW", stateName: "New South Wales", countryCode: "AU" },
  { postalCode: "2000", suburb: "The-Rocks", city: "Sydney", state: "NSW", stateName: "New South Wales", countryCode: "AU" },
  { postalCode: "2000", suburb: "The Rocks", city: "Sydney", state: "NSW", stateName: "New South Wales", countryCode: "AU" },
  { postalCode: "3000", suburb: "Melbourne", city: "Melbourne", state: "VIC", stateName: "Victoria", countryCode: "AU" },
];

/** Knows Sydney and Melbourne. CUST-1 must give a cost centre and a job number, CUST-3 a field named like an inherited property, valueOf. */
export const context: RowContext = {
  timezone: "Australia/Sydney",
  knowsCustomer: (id) => /^CUST-[123]$/.test(id),
  mandatoryCustomFields: (id) => ({ "CUST-1": ["costCentre", "jobNumber"], "CUST-3": ["costCentre", "valueOf"] })[id] ?? [],
  locate: (postalCode, suburb, state, country) =>
    places.find(
      (place) =>
        place.postalCode === postalCode &&
        ["", place.suburb.toLowerCase()].includes(suburb.toLowerCase()) &&
        ["", place.state.toLowerCase(), place.stateName.toLowerCase()].includes(state.toLowerCase()) &&
        ["", "au"].includes(country.toLowerCase()),
    ),
  locationFault: (postalCode) => `postcode "${postalCode}" is not a postcode of Australia`,
};

export function table(...names: string[]): Columns {
  return { names, fields: names };
}

/** A row of the table with these cells; the other cells are blank. */
export function rowOf(columns: Columns, values: Record<string, Cell>, more: Partial<Row> = {}): Row {
  return { row: 2, cells: columns.names.map((name) => values[name] ?? ""), fault: null, ...more };
}
