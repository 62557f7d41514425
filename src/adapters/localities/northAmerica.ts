import { createRequire } from "node:module";
import { canadianProvinces, usStates } from "./northAmericanStates.js";
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
  delete require.cache[path]; // 40,000 small objects that nobody needs again
  return records;
}

export function* readUnitedStates(): Generator<LocalityRow> {
  for (const { zip, city, state } of load("codes")) {
    const stateName = usStates.get(state);
    if (stateName !== undefined) yield { postalCode: zip, suburb: city, city, state, stateName, poBox: false };
  }
}

/** By the first three characters, which is as far as the package goes. Its names are areas such as `Eastern Alberta (st. Paul)`: every part is a name. */
export function* readCanada(): Generator<LocalityRow> {
  for (const { zip, city, state } of load("codesCanada")) {
    const code = canadianProvinces.get(state.toUpperCase());
    if (code === undefined) continue;
    const row = { postalCode: zip, state: code, stateName: state, poBox: false };
    const [main = city, ...others] = namesIn(city);
    for (const suburb of new Set([main, ...others])) yield { ...row, suburb, city: main };
  }
}

function namesIn(area: string): string[] {
  return area
    .split(/[()/,]/)
    .map((part) => placeName(part))
    .filter((part) => part !== "");
}
