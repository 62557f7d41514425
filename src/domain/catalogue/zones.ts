import { comparablePostalCode, plainPostalCode } from "../geography/postalCode.js";
import type { ZoneMap } from "./schema.js";

/** Codes from `from` to `to`, both included, and everything that begins with `to`: `SW1-SW3` holds SW3A 1AA. */
export interface PostcodeRange {
  readonly from: string;
  readonly to: string;
}

/** `2000`, `2000-2249`; undefined when it is neither. Codes are written without their own dashes here. */
export function parseRange(countryCode: string, text: string): PostcodeRange | undefined {
  const ends = text.split("-").map((end) => end.trim());
  const codes = ends.map((end) => comparablePostalCode(countryCode, end));
  const [from, to = from] = codes;
  const wellFormed = codes.length <= 2 && ends.every((end) => /^[A-Za-z0-9 ]+$/.test(end) && plainPostalCode(end).length <= 10);
  if (!wellFormed || from === undefined || to === undefined || from > to) return undefined;
  return { from, to };
}

export function overlaps(a: PostcodeRange, b: PostcodeRange): boolean {
  return a.from <= endOf(b) && b.from <= endOf(a);
}

function endOf(range: PostcodeRange): string {
  return `${range.to}~`; // after every letter and digit
}

interface CountryZones {
  readonly ranges: readonly { from: string; end: string; zone: string }[];
  /** The zone without postcodes: the rest of its country. */
  readonly rest: string | undefined;
}

export type ZoneOf = (countryCode: string, postalCode: string) => string | undefined;

export function compileZones(map: ZoneMap): ZoneOf {
  const countries = new Map<string, CountryZones>();
  for (const countryCode of new Set(map.zones.map((zone) => zone.country))) {
    const zones = map.zones.filter((zone) => zone.country === countryCode);
    const ranges = zones.flatMap((zone) =>
      (zone.postcodes ?? []).flatMap((text) => {
        const range = parseRange(countryCode, text);
        return range ? [{ from: range.from, end: endOf(range), zone: zone.zone }] : [];
      }),
    );
    ranges.sort((a, b) => (a.from < b.from ? -1 : 1));
    countries.set(countryCode, { ranges, rest: zones.find((zone) => zone.postcodes === undefined)?.zone });
  }
  return (countryCode, postalCode) => {
    const zones = countries.get(countryCode);
    return zones && (inRange(zones.ranges, comparablePostalCode(countryCode, postalCode)) ?? zones.rest);
  };
}

function inRange(ranges: CountryZones["ranges"], code: string): string | undefined {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (!range) return undefined;
    if (code < range.from) high = middle - 1;
    else if (code > range.end) low = middle + 1;
    else return range.zone;
  }
  return undefined;
}
