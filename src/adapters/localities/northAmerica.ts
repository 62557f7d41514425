import { createRequire } from "node:module";
import { provinceOf, usStates } from "./northAmericanStates.js";
import { placeName } from "./placeName.js";
import type { LocalityRow } from "./row.js";

interface ZipRecord {
  readonly zip: string;
  readonly city: string;
  readonly state: string;
}

function load(file: "codes" | "codesCanada"): ZipRecord[] {
  const require = createRequire(import.meta.url);
  const path = require.resolve(`zipcodes/lib/${file}.js`);
  const records = Object.values((require(path) as { codes: Record<string, ZipRecord> }).codes);
  delete require.cache[path]; // frees 40,000 small objects that are not needed again
  return records;
}

export function* readUnitedStates(): Generator<LocalityRow> {
  for (const { zip, city, state } of load("codes")) {
    const stateName = usStates.get(state);
    if (stateName !== undefined) yield { postalCode: zip, suburb: city, city, state, stateName, poBox: false };
  }
}

/**
 * Postcodes have their first three characters only, since the package has no more. It names areas such as
 * `Vancouver (ne Downtown / Gastown)`, of which every part becomes a suburb.
 */
export function* readCanada(): Generator<LocalityRow> {
  for (const { zip, city: area } of load("codesCanada")) {
    const province = provinceOf(zip);
    if (province === undefined) continue;
    const [state, stateName] = province;
    const names = namesIn(area);
    const city = canadianCity(zip, names[0] ?? area);
    for (const suburb of new Set([...names, city])) yield { postalCode: zip, suburb, city, state, stateName, poBox: false };
  }
}

function namesIn(area: string): string[] {
  return area
    .split(/[()/]/)
    .map((part) => placeName(part))
    .filter((part) => part !== "");
}

function canadianCity(zip: string, name: string): string {
  if (zip.startsWith("M")) return "Toronto";
  if (zip.startsWith("H7")) return "Laval";
  if (zip.startsWith("H")) return "Montreal";
  return name.replace(
    /^(?:Downtown|Central|Old) | (?:(?:North|South|East|West|Central|Northeast|Northwest|Southeast|Southwest|Downtown) ?)+$/g,
    "",
  );
}
