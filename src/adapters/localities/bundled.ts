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

/** The localities that come with the product; undefined for a country that has to be loaded first. */
export function bundledLocalities(countryCode: string): Iterable<LocalityRow> | undefined {
  const compute = bundled.get(countryCode);
  if (!compute) return undefined;
  // Written by the build, since the packages are many times larger than what is taken from them; the sources have no such file.
  const built = fileURLToPath(new URL(`./${countryCode}.tsv`, import.meta.url));
  return existsSync(built) ? readStoredLocalities(built) : compute();
}
