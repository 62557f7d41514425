import type { LocalityRow } from "../../src/domain/geography/localities.js";
import { type AustralianRecord, readAustralianFile } from "./australianFile.js";
import { cityOf } from "./cities.js";
import { localityName } from "./localityName.js";
import { coordinates, createPrimaryRanking } from "./primarySuburb.js";

const states: Record<string, string> = {
  ACT: "Australian Capital Territory",
  NSW: "New South Wales",
  NT: "Northern Territory",
  QLD: "Queensland",
  SA: "South Australia",
  TAS: "Tasmania",
  VIC: "Victoria",
  WA: "Western Australia",
};

/** In the package, but nothing can be delivered there: a closed postcode, two for reply-paid letters, and Santa's. */
const notPostcodes = new Set(["0200", "9464", "9726", "9999"]);

/** Places that the package puts on the wrong side of a state border. */
const rightState = new Map([
  ["0872 AMATA", "SA"],
  ["0872 ANANGU PITJANTJATJARA YANKUNYTJATJARA", "SA"],
  ["4825 ALPURRURULAM", "NT"],
]);

/** Ranges in which every code stands for post-office boxes or large-volume receivers. */
const boxRanges: readonly (readonly [number, number])[] = [
  [200, 299],
  [900, 999],
  [1000, 1999],
  [5800, 5999],
  [6800, 6999],
  [7800, 7999],
  [8000, 8999],
  [9000, 9999],
];

/** Single codes of this kind outside the ranges, most of them in the Northern Territory. */
const boxCodes = new Set("0801 0804 0811 0813 0814 0815 0821 0831 0851 0861 0871 0881 2890 2891 7001".split(" "));

function isPoBox({ postcode, type }: AustralianRecord): boolean {
  const code = Number(postcode);
  if (postcode === "5950") return false; // Adelaide Airport takes deliveries
  if (type === "Post Office Boxes" || type === "LVR" || boxCodes.has(postcode)) return true;
  return boxRanges.some(([from, to]) => code >= from && code <= to);
}

export function* readAustralia(): Generator<LocalityRow> {
  const records = readAustralianFile().filter((record) => !notPostcodes.has(record.postcode));
  const byPostcode = new Map<string, AustralianRecord[]>();
  for (const record of records) {
    const others = byPostcode.get(record.postcode);
    if (others) others.push(record);
    else byPostcode.set(record.postcode, [record]);
  }
  const rank = createPrimaryRanking(records);
  for (const group of byPostcode.values()) {
    const seen = new Set<string>();
    for (const record of rank(group)) {
      const row = toRow(record);
      const name = `${row.state} ${row.suburb.toUpperCase()}`;
      if (!seen.has(name)) yield row;
      seen.add(name);
    }
  }
}

function toRow(record: AustralianRecord): LocalityRow {
  const state = rightState.get(`${record.postcode} ${record.locality.toUpperCase()}`) ?? record.state;
  const suburb = localityName(record.locality);
  const city = cityOf(record.postcode, state, coordinates(record)) ?? suburb;
  return {
    postalCode: record.postcode,
    suburb,
    city,
    state,
    stateName: states[state] ?? state,
    poBox: isPoBox(record),
  };
}
