import { readAustralia } from "./australia.js";
import { readCanada, readUnitedStates } from "./northAmerica.js";
import type { LocalityRow } from "./row.js";

const bundled = new Map<string, () => Iterable<LocalityRow>>([
  ["AU", readAustralia],
  ["US", readUnitedStates],
  ["CA", readCanada],
]);

export const isBundled = (countryCode: string): boolean => bundled.has(countryCode);

/** The localities that come with the product; undefined for a country that has to be loaded first. */
export const bundledLocalities = (countryCode: string): Iterable<LocalityRow> | undefined => bundled.get(countryCode)?.();
