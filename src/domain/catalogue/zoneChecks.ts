import { isCountryCode } from "../geography/countries.js";
import { readPostalCode } from "../geography/postalCode.js";
import { quote, type ReadableZoneMap } from "./readable.js";
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
    if (/^[A-Z]{2}$/.test(country) && !isCountryCode(country))
      faults.push(`${path}.${index}.country ${quote(country)} is not an ISO country code`);
    if (postcodes === undefined) {
      const earlier = whole.get(country);
      if (earlier === undefined) whole.set(country, index);
      else faults.push(`${path}.${index} overlaps ${path}.${earlier}: both hold the rest of ${country}`);
    }
    postcodes?.forEach((text, number) => {
      const range = parseRange(country, text);
      const at = `${path}.${index}.postcodes.${number}`;
      const unlike = range && shapeFault(country, text);
      if (unlike !== undefined) faults.push(`${at} ${quote(text)} ${unlike}`);
      else if (range) claims.push({ country, range, zone, path: at, text });
      else if (text !== "") faults.push(`${at} ${quote(text)} must be a postcode or a range such as 2000-2249`);
    });
  });
  return [...faults, ...overlapFaults(claims)];
}

const shapes: Record<string, string> = {
  AU: "4 digits, such as 2000 or 2000-2249",
  US: "5 digits, such as 10001 or 10001-10292",
  CA: "3 or 6 characters, such as V6B, V6B 1A1 or V5K-V6Z",
};

/** Only for countries whose format of postcodes is known here. A postcode in another format would match nothing, without any message. */
function shapeFault(country: string, text: string): string | undefined {
  const shape = shapes[country];
  const fits = text.split("-").every((end) => readPostalCode(country, end.trim()) !== undefined);
  return shape === undefined || fits ? undefined : `cannot be a postcode of ${country}: those have ${shape}`;
}

/** A range may lie within a wider one: its postcodes are then in its own zone. Ranges that cross or are equal would put a postcode into two zones. */
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
