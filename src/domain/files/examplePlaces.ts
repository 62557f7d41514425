import type { Catalogue } from "../catalogue/catalogue.js";
import { parseRange } from "../catalogue/zones.js";
import type { Location } from "../geography/geography.js";
import type { RowContext } from "../rows/rowContext.js";

/** A well-known code of each country whose postcodes come with the service, for zones that are a whole country. */
const capitals: Readonly<Record<string, readonly string[]>> = { AU: ["2000", "3000"], US: ["10001", "94103"], CA: ["M5V", "V6B"] };
/** How many codes of a range are tried, since its first ones may not exist. */
const mostTried = 60;
const mostZones = 40;

/** Two places that the organisation serves, in different zones if possible. The same place twice where only one is found, none where none is. */
export function examplePlaces({ file }: Catalogue, { locate }: Pick<RowContext, "locate">): Location[] {
  const zones = file.zoneMaps.flatMap((map) => map.zones);
  // Australia's postcodes are in memory already; those of other countries take a moment to load.
  const nearFirst = zones.toSorted((a, b) => Number(b.country === "AU") - Number(a.country === "AU")).slice(0, mostZones);
  const found: Location[] = [];
  for (const { country, postcodes } of nearFirst) {
    const codes = postcodes ? postcodes.slice(0, 1).flatMap((text) => codesOf(country, text)) : (capitals[country] ?? []);
    const wanted = postcodes ? 1 : 2;
    for (const code of codes) {
      const place = locate(code, "", "", country);
      if (place && found.push(place) >= 2) return found;
      if (place && found.length >= wanted) break;
    }
  }
  const [only] = found;
  return only ? [only, only] : [];
}

function codesOf(country: string, text: string): string[] {
  const range = parseRange(country, text);
  if (!range) return [];
  if (!/^\d+$/.test(range.from)) return [range.from];
  const first = Number(range.from);
  const last = Math.min(Number(range.to), first + mostTried);
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, index) => String(first + index).padStart(range.from.length, "0"));
}
