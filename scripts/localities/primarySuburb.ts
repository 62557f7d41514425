import type { AustralianRecord } from "./australianFile.js";
import { type Coordinates, kilometres } from "./cities.js";

/** Postcodes for which the rules below choose the wrong suburb. */
const known = new Map(
  Object.entries({
    "0872": "YULARA",
    "2021": "PADDINGTON",
    "2026": "BONDI BEACH",
    "2031": "RANDWICK",
    "2113": "MACQUARIE PARK",
    "2118": "CARLINGFORD",
    "2148": "BLACKTOWN",
    "2153": "BAULKHAM HILLS",
    "2170": "LIVERPOOL",
    "2200": "BANKSTOWN",
    "2204": "MARRICKVILLE",
    "2220": "HURSTVILLE",
    "2229": "CARINGBAH",
    "2230": "CRONULLA",
    "2600": "CANBERRA",
    "3029": "TARNEIT",
    "3064": "CRAIGIEBURN",
    "3150": "GLEN WAVERLEY",
    "4006": "FORTITUDE VALLEY",
    "4012": "NUNDAH",
    "4217": "SURFERS PARADISE",
    "4218": "BROADBEACH",
    "4220": "BURLEIGH HEADS",
    "4509": "NORTH LAKES",
    "6062": "MORLEY",
  }),
);

const postal = /\b(?:DC|DF|LPO|CPA|PO|BC|LC|DELIVERY CENTRE|DELIVERY FACILITY|DEL FAC|DELIVERY|POST OFFICE|POST SHOP|BUSINESS CENTRE)\b/g;
const institution = /\b(?:DC|BC|MC|PO|RAAF|UNIVERSITY|NATIONAL PARK|ISLAND|FOREST)\b/;

function deliveryCentre(record: AustralianRecord): string {
  return record.dc
    .toUpperCase()
    .replace(postal, "")
    .replace(/[^A-Z ]/g, " ")
    .trim();
}

export function coordinates(record: AustralianRecord): Coordinates {
  const precise: Coordinates = [Number(record.Lat_precise), Number(record.Long_precise)];
  const ofPostcode: Coordinates = [Number(record.lat), Number(record.long)];
  const doubtful = precise[0] === 0 || (ofPostcode[0] !== 0 && kilometres(precise, ofPostcode) > 150);
  return doubtful ? ofPostcode : precise;
}

/** Facts about all records of a postcode, by which each of them is ranked. */
interface Group {
  readonly names: ReadonlySet<string>;
  /** Names that are part of other names: Hamilton, where there is a Hamilton South. */
  readonly roots: ReadonlySet<string>;
  readonly centres: ReadonlySet<string>;
}

/**
 * Sorts the records of one postcode, the primary suburb first. The package does not name the primary suburb. It is found by several signs:
 * the delivery centre or statistical areas have its name, other suburbs are named after it, its entry is old, or it lies in the middle.
 */
export function createPrimaryRanking(all: readonly AustralianRecord[]): (records: AustralianRecord[]) => AustralianRecord[] {
  const centres = new Map<string, number>();
  for (const record of all) centres.set(record.dc, (centres.get(record.dc) ?? 0) + 1);
  const weights = new Map<string, number>();
  for (const [dc, count] of centres) {
    const centre = deliveryCentre({ dc } as AustralianRecord);
    weights.set(centre, (weights.get(centre) ?? 0) + count);
  }
  return (records) => {
    if (records.length < 2) return records;
    const group = groupOf(records);
    const scored = records.map((record) => ({ record, points: score(record, group, weights) }));
    return scored.sort((a, b) => b.points - a.points || Number(a.record.id) - Number(b.record.id)).map(({ record }) => record);
  };
}

function groupOf(records: readonly AustralianRecord[]): Group {
  const names = new Set(records.map((record) => record.locality.toUpperCase()));
  const roots = new Set<string>();
  for (const name of names) {
    const words = name.split(" ");
    for (let count = 1; count < words.length; count += 1) {
      for (const part of [words.slice(0, count).join(" "), words.slice(count).join(" ")]) if (names.has(part)) roots.add(part);
    }
  }
  return { names, roots, centres: new Set(records.map(deliveryCentre)) };
}

function score(record: AustralianRecord, group: Group, weights: ReadonlyMap<string, number>): number {
  const name = record.locality.toUpperCase();
  const away = kilometres([Number(record.lat), Number(record.long)], [Number(record.Lat_precise), Number(record.Long_precise)]);
  let points = 0.4 * Math.min(Math.log1p(weights.get(name) ?? 0), 5) - 0.4 * Math.min(Math.log1p(away), 6);
  if (known.get(record.postcode) === name) points += 100;
  if (record.SA2_NAME_2021.toUpperCase().includes(name)) points += 0.8;
  if (record.sa3name.toUpperCase().includes(name)) points += 1.2;
  if (group.centres.has(name)) points += 1.8;
  if (group.roots.has(name)) points += 0.8;
  if (name.includes(" ") && beginsWithAnother(name, group.names)) points -= 1;
  if (record.type === "Delivery Area") points += 2;
  if (Number(record.id) > 19_000) points -= 2.3;
  if (institution.test(name)) points -= 0.9;
  return points;
}

function beginsWithAnother(name: string, names: ReadonlySet<string>): boolean {
  for (let at = name.indexOf(" "); at !== -1; at = name.indexOf(" ", at + 1)) if (names.has(name.slice(0, at))) return true;
  return false;
}
