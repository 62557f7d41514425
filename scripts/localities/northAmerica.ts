import { createRequire } from "node:module";
import type { LocalityRow } from "../../src/domain/geography/localities.js";
import { localityName } from "./localityName.js";

function byCode(text: string): Map<string, string> {
  return new Map(text.split(",").map((entry) => [entry.slice(0, 2), entry.slice(3)]));
}

/** States, territories and military post. */
const usStates: ReadonlyMap<string, string> = byCode(
  "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia,FL Florida," +
    "GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts," +
    "MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico," +
    "NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina," +
    "SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming," +
    "PR Puerto Rico,VI U.S. Virgin Islands,GU Guam,AS American Samoa,MP Northern Mariana Islands,MH Marshall Islands,FM Micronesia,PW Palau," +
    "AA Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific",
);

const provinces: readonly (readonly [first: string, code: string, name: string])[] = [
  ["A", "NL", "Newfoundland and Labrador"],
  ["B", "NS", "Nova Scotia"],
  ["C", "PE", "Prince Edward Island"],
  ["E", "NB", "New Brunswick"],
  ["GHJ", "QC", "Quebec"],
  ["KLMNP", "ON", "Ontario"],
  ["R", "MB", "Manitoba"],
  ["S", "SK", "Saskatchewan"],
  ["T", "AB", "Alberta"],
  ["V", "BC", "British Columbia"],
  ["Y", "YT", "Yukon"],
];

/** A Canadian code's first letter is its province; the two northern territories share one. */
function provinceOf(postalCode: string): readonly [code: string, name: string] | undefined {
  if (/^X0[ABC]/.test(postalCode)) return ["NU", "Nunavut"];
  if (postalCode.startsWith("X")) return ["NT", "Northwest Territories"];
  const found = provinces.find(([letters]) => letters.includes(postalCode.charAt(0)));
  return found && [found[1], found[2]];
}

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
    .map((part) => localityName(part))
    .filter((part) => part !== "");
}

const partsOfCities = new Set("North South East West Central Northeast Northwest Southeast Southwest Downtown".split(" "));

function canadianCity(zip: string, name: string): string {
  if (zip.startsWith("M")) return "Toronto";
  if (zip.startsWith("H7")) return "Laval";
  if (zip.startsWith("H")) return "Montreal";
  const words = name.replace(/^(?:Downtown|Central|Old) /, "").split(" ");
  while (words.length > 1 && partsOfCities.has(words.at(-1) ?? "")) words.pop();
  return words.join(" ");
}
