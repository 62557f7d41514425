import type { ReadableZoneMap } from "./readable.js";
import { quote } from "./references.js";
import { overlaps, type PostcodeRange, parseRange } from "./zones.js";

interface Claim {
  readonly country: string;
  readonly range: PostcodeRange;
  readonly zone: string;
  readonly path: string;
  readonly text: string;
}

export function zoneFaults(map: ReadableZoneMap, path: string): string[] {
  const faults: string[] = [];
  const claims: Claim[] = [];
  const whole = new Map<string, number>();
  map.zones.forEach(({ zone, country, postcodes }, index) => {
    if (zone === "*") faults.push(`${path}.${index}.zone "*" stands for every zone and cannot be the name of one`);
    if (postcodes === undefined) {
      const earlier = whole.get(country);
      if (earlier === undefined) whole.set(country, index);
      else faults.push(`${path}.${index} overlaps ${path}.${earlier}: both hold the rest of ${country}`);
    }
    postcodes?.forEach((text, number) => {
      const range = parseRange(country, text);
      const at = `${path}.${index}.postcodes.${number}`;
      if (range) claims.push({ country, range, zone, path: at, text });
      else if (text !== "") faults.push(`${at} ${quote(text)} must be a postcode or a range such as 2000-2249`);
    });
  });
  return [...faults, ...overlapFaults(claims)];
}

/** Sorted by where they begin, a range can only overlap the one that reaches furthest so far. */
function overlapFaults(claims: Claim[]): string[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = claims.toSorted((a, b) => order(a.country, b.country) || order(a.range.from, b.range.from));
  const faults: string[] = [];
  let furthest: Claim | undefined;
  for (const claim of sorted) {
    const rival = furthest?.country === claim.country ? furthest : undefined;
    if (rival && overlaps(rival.range, claim.range)) {
      faults.push(
        `${claim.path} ${quote(claim.text)} of zone ${quote(claim.zone)} overlaps ${rival.path} ${quote(rival.text)} of zone ${quote(rival.zone)}`,
      );
    }
    if (!rival || claim.range.to > rival.range.to) furthest = claim;
  }
  return faults;
}
