import type { ReadableZoneMap } from "./readable.js";
import { quote } from "./references.js";
import { isWithin, overlaps, type PostcodeRange, parseRange, widerFirst } from "./zones.js";

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

/** A range may lie within another, whose zone then has the rest of it; two that cross, or are the same, leave a postcode to both. */
function overlapFaults(claims: Claim[]): string[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = claims.toSorted((a, b) => order(a.country, b.country) || widerFirst(a.range, b.range));
  const faults: string[] = [];
  const around: Claim[] = []; // each within the one before
  const isAround = (claim: Claim, { country, range }: Claim) => country === claim.country && overlaps(range, claim.range);
  for (const claim of sorted) {
    while (around.length > 0 && !isAround(claim, around.at(-1) as Claim)) around.pop();
    const rival = around.at(-1);
    if (!rival || isWithin(claim.range, rival.range)) around.push(claim);
    else {
      faults.push(
        `${claim.path} ${quote(claim.text)} of zone ${quote(claim.zone)} overlaps ${rival.path} ${quote(rival.text)} of zone ${quote(rival.zone)}`,
      );
    }
  }
  return faults;
}
