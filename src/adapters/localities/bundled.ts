import { readAustralia } from "./australia.js";
import { readCanada, readUnitedStates } from "./northAmerica.js";
import type { LocalityRow } from "./row.js";

/** The localities that come with the product; undefined for a country that has to be loaded first. */
export function bundledLocalities(countryCode: string): Iterable<LocalityRow> | undefined {
  switch (countryCode) {
    case "AU":
      return readAustralia();
    case "US":
      return readUnitedStates();
    case "CA":
      return readCanada();
    default:
      return undefined;
  }
}
