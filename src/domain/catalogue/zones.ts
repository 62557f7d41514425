import { isCountryCode } from "../geography/countries.js";
import { comparablePostalCode, plainPostalCode, readPostalCode } from "../geography/postalCode.js";
import { firstIndex } from "../ranges.js";
import { type ReadableZoneMap, shownId } from "./readable.js";
import type { ZoneMap } from "./schema.js";

/** Codes from `from` to `to`, both included, and everything that begins with `to`: `SW1-SW3` holds SW3A 1AA. */
interface PostcodeRange {
  readonly from: string;
  readonly to: string;
}

/** Parses `2000` or `2000-2249`; undefined for any other text. Codes must be written without dashes of their own. */
export function parsePostcodeRange(countryCode: string, text: string): PostcodeRange | undefined {
  const ends = text.split("-").map((end) => end.trim());
  const codes = ends.map((end) => zoneCode(countryCode, end));
  const [from, to = from] = codes;
  const isWellFormed = codes.length <= 2 && ends.every((end) => /^[A-Za-z0-9 ]+$/.test(end) && plainPostalCode(end).length <= 10);
  if (!isWellFormed || from === undefined || to === undefined || from > to) return undefined;
  return { from, to };
}

/** Canadian places are known by the first half of their code, but a zone may list whole codes. So zones compare all six characters. */
const zoneCode = (countryCode: string, text: string): string =>
  countryCode === "CA" ? plainPostalCode(text) : comparablePostalCode(countryCode, text);

const overlaps = (a: PostcodeRange, b: PostcodeRange): boolean => a.from <= endOf(b) && b.from <= endOf(a);

/** Whether `inner` lies within `outer` and is smaller. */
function isWithin(inner: PostcodeRange, outer: PostcodeRange): boolean {
  const smaller = inner.from !== outer.from || inner.to !== outer.to;
  return smaller && outer.from <= inner.from && endOf(inner) <= endOf(outer);
}

/** Orders ranges by their beginning. Of two that begin together, the wider one comes first. */
function widerFirst(a: PostcodeRange, b: PostcodeRange): number {
  if (a.from !== b.from) return a.from < b.from ? -1 : 1;
  return endOf(a) > endOf(b) ? -1 : 1;
}

const endOf = ({ to }: PostcodeRange): string => `${to}~`; // `~` comes after every letter and digit

interface CountryZones {
  /** In the order of `widerFirst`. `enclosing` is the index of the narrowest range around this one, or -1. */
  readonly ranges: readonly { from: string; end: string; zone: string; enclosing: number }[];
  /** The zone without postcodes: the rest of its country. */
  readonly rest: string | undefined;
}

export type ZoneOf = (countryCode: string, postalCode: string) => string | undefined;

export function compileZones(map: ZoneMap): ZoneOf {
  const countries = new Map<string, CountryZones>();
  const byCountry = new Map(map.zones.map(({ country }) => [country, [] as ZoneMap["zones"]]));
  for (const zone of map.zones) byCountry.get(zone.country)?.push(zone);
  for (const [countryCode, zones] of byCountry) {
    const zoneRanges = zones.flatMap(({ zone, postcodes }) =>
      (postcodes ?? []).flatMap((text) => {
        const range = parsePostcodeRange(countryCode, text);
        return range ? [{ range, zone }] : [];
      }),
    );
    zoneRanges.sort((a, b) => widerFirst(a.range, b.range));
    countries.set(countryCode, { ranges: nestRanges(zoneRanges), rest: zones.find((zone) => zone.postcodes === undefined)?.zone });
  }
  return (countryCode, postalCode) => {
    const zones = countries.get(countryCode);
    return zones && (findZone(zones.ranges, zoneCode(countryCode, postalCode)) ?? zones.rest);
  };
}

function nestRanges(zoneRanges: readonly { range: PostcodeRange; zone: string }[]): CountryZones["ranges"] {
  const ranges: { from: string; end: string; zone: string; enclosing: number }[] = [];
  let enclosing = -1;
  for (const { range, zone } of zoneRanges) {
    while (enclosing >= 0 && range.from > (ranges[enclosing]?.end ?? "")) enclosing = ranges[enclosing]?.enclosing ?? -1;
    enclosing = ranges.push({ from: range.from, end: endOf(range), zone, enclosing }) - 1;
  }
  return ranges;
}

/** The zone of the narrowest range that holds the code: the last range that begins at or before the code, or else one around that range. */
function findZone(ranges: CountryZones["ranges"], code: string): string | undefined {
  const nextIndex = firstIndex(ranges.length, (index) => (ranges[index]?.from ?? "") > code);
  for (let range = ranges[nextIndex - 1]; range; range = ranges[range.enclosing]) if (code <= range.end) return range.zone;
  return undefined;
}

interface ZoneRange {
  readonly country: string;
  readonly range: PostcodeRange;
  readonly zone: string;
  readonly path: string;
  readonly text: string;
}

export function zoneFaults(map: ReadableZoneMap, path: string): string[] {
  const faults: string[] = [];
  const zoneRanges: ZoneRange[] = [];
  const restOfCountry = new Map<string, number>();
  map.zones.forEach(({ zone, country, postcodes }, index) => {
    if (zone === "*") faults.push(`${path}.${index}.zone "*" stands for every zone and cannot be the name of one`);
    if (/^[A-Z]{2}$/.test(country) && !isCountryCode(country))
      faults.push(`${path}.${index}.country ${shownId(country)} is not an ISO country code`);
    if (postcodes === undefined) {
      const earlier = restOfCountry.get(country);
      if (earlier === undefined) restOfCountry.set(country, index);
      else faults.push(`${path}.${index} overlaps ${path}.${earlier}: both hold the rest of ${country}`);
    }
    postcodes?.forEach((text, number) => {
      const range = parsePostcodeRange(country, text);
      const at = `${path}.${index}.postcodes.${number}`;
      const fault = range && formatFault(country, text);
      if (fault !== undefined) faults.push(`${at} ${shownId(text)} ${fault}`);
      else if (range) zoneRanges.push({ country, range, zone, path: at, text });
      else if (text !== "") faults.push(`${at} ${shownId(text)} must be a postcode or a range such as 2000-2249`);
    });
  });
  return [...faults, ...overlapFaults(zoneRanges)];
}

const postcodeFormats: Record<string, string> = {
  AU: "4 digits, such as 2000 or 2000-2249",
  US: "5 digits, such as 10001 or 10001-10292",
  CA: "3 or 6 characters, such as V6B, V6B 1A1 or V5K-V6Z",
};

/** Checks countries whose format is known here. A postcode in a wrong format would match nothing, without any message. */
function formatFault(country: string, text: string): string | undefined {
  const format = postcodeFormats[country];
  const fits = text.split("-").every((end) => readPostalCode(country, end.trim()) !== undefined);
  return format === undefined || fits ? undefined : `cannot be a postcode of ${country}: those have ${format}`;
}

/** A range may lie within a wider one: the narrower one's zone then wins. Ranges that cross or are equal would give a code two zones. */
function overlapFaults(zoneRanges: ZoneRange[]): string[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = zoneRanges.toSorted((a, b) => order(a.country, b.country) || widerFirst(a.range, b.range));
  const faults: string[] = [];
  const enclosing: ZoneRange[] = []; // each lies within the one before it
  const isEnclosing = (inner: ZoneRange, { country, range }: ZoneRange) => country === inner.country && overlaps(range, inner.range);
  for (const zoneRange of sorted) {
    while (enclosing.length > 0 && !isEnclosing(zoneRange, enclosing.at(-1) as ZoneRange)) enclosing.pop();
    const rival = enclosing.at(-1);
    if (!rival || isWithin(zoneRange.range, rival.range)) enclosing.push(zoneRange);
    else {
      faults.push(
        `${zoneRange.path} ${shownId(zoneRange.text)} of zone ${shownId(zoneRange.zone)} overlaps ${rival.path} ${shownId(rival.text)} of zone ${shownId(rival.zone)}`,
      );
    }
  }
  return faults;
}
