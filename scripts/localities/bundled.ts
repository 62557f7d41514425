// The localities that come with the service, worked out from npm packages. The build writes them into files, since the packages are many times
// larger than the data taken from them. The first row of a postcode is its primary suburb.
import type { LocalityRow } from "../../src/domain/geography/localities.js";
import { readAustralia } from "./australia.js";
import { readCanada, readUnitedStates } from "./northAmerica.js";

export const countries: ReadonlyMap<string, () => Iterable<LocalityRow>> = new Map([
  ["AU", readAustralia],
  ["US", readUnitedStates],
  ["CA", readCanada],
]);
