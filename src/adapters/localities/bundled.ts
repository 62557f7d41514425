import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readAustralia } from "./australia.js";
import { readCanada, readUnitedStates } from "./northAmerica.js";
import type { LocalityRow } from "./row.js";
import { readStoredLocalities } from "./storedLocalities.js";

const bundled = new Map<string, () => Iterable<LocalityRow>>([
  ["AU", readAustralia],
  ["US", readUnitedStates],
  ["CA", readCanada],
]);

export const bundledCountries: readonly string[] = [...bundled.keys()];

export const isBundled = (countryCode: string): boolean => bundledCountries.includes(countryCode);

/** The localities that come with the service; undefined for a country that has to be loaded first. */
export function bundledLocalities(countryCode: string): Iterable<LocalityRow> | undefined {
  const compute = bundled.get(countryCode);
  if (!compute) return undefined;
  // The build writes this file, since the npm packages are many times larger than the data taken from them. It is not in the repository.
  const built = fileURLToPath(new URL(`./${countryCode}.tsv`, import.meta.url));
  return existsSync(built) ? readStoredLocalities(built) : compute();
}
