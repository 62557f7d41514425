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
  const codes = ends.map((end) => zoneCode(countryCode, end));
  const [from, to = from] = codes;
  const wellFormed = codes.length <= 2 && ends.every((end) => /^[A-Za-z0-9 ]+$/.test(end) && plainPostalCode(end).length <= 10);
  if (!wellFormed || from === undefined || to === undefined || from > to) return undefined;
  return { from, to };
}

/** Canadian places are known by the first half of their code, but a zone may list whole codes: so zones compare all six characters. */
function zoneCode(countryCode: string, text: string): string {
  return countryCode === "CA" ? plainPostalCode(text) : comparablePostalCode(countryCode, text);
}

export function overlaps(a: PostcodeRange, b: PostcodeRange): boolean {
  return a.from <= endOf(b) && b.from <= endOf(a);
}

/** Inside the other, and smaller. */
export function isWithin(inner: PostcodeRange, outer: PostcodeRange): boolean {
  const smaller = inner.from !== outer.from || inner.to !== outer.to;
  return smaller && outer.from <= inner.from && endOf(inner) <= endOf(outer);
}

/** By where they begin; of two that begin together the wider one. */
export function widerFirst(a: PostcodeRange, b: PostcodeRange): number {
  if (a.from !== b.from) return a.from < b.from ? -1 : 1;
  return endOf(a) > endOf(b) ? -1 : 1;
}

function endOf(range: PostcodeRange): string {
  return `${range.to}~`; // after every letter and digit
}

interface CountryZones {
  /** In the order of `widerFirst`. `around` is the index of the narrowest range that this one lies within, or -1. */
  readonly ranges: readonly { from: string; end: string; zone: string; around: number }[];
  /** The zone without postcodes: the rest of its country. */
  readonly rest: string | undefined;
}

export type ZoneOf = (countryCode: string, postalCode: string) => string | undefined;

export function compileZones(map: ZoneMap): ZoneOf {
  const countries = new Map<string, CountryZones>();
  for (const countryCode of new Set(map.zones.map((zone) => zone.country))) {
    const zones = map.zones.filter((zone) => zone.country === countryCode);
    const claims = zones.flatMap(({ zone, postcodes }) =>
      (postcodes ?? []).flatMap((text) => {
        const range = parseRange(countryCode, text);
        return range ? [{ range, zone }] : [];
      }),
    );
    claims.sort((a, b) => widerFirst(a.range, b.range));
    countries.set(countryCode, { ranges: nested(claims), rest: zones.find((zone) => zone.postcodes === undefined)?.zone });
  }
  return (countryCode, postalCode) => {
    const zones = countries.get(countryCode);
    return zones && (inRange(zones.ranges, zoneCode(countryCode, postalCode)) ?? zones.rest);
  };
}

function nested(claims: readonly { range: PostcodeRange; zone: string }[]): CountryZones["ranges"] {
  const ranges: { from: string; end: string; zone: string; around: number }[] = [];
  let around = -1;
  for (const { range, zone } of claims) {
    while (around >= 0 && range.from > (ranges[around]?.end ?? "")) around = ranges[around]?.around ?? -1;
    around = ranges.push({ from: range.from, end: endOf(range), zone, around }) - 1;
  }
  return ranges;
}

/** The zone of the narrowest range that holds the code: the last range that begins at or before the code, or else one around that range. */
function inRange(ranges: CountryZones["ranges"], code: string): string | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.from ?? "") <= code) low = middle + 1;
    else high = middle;
  }
  for (let range = ranges[low - 1]; range; range = ranges[range.around]) if (code <= range.end) return range.zone;
  return undefined;
}
