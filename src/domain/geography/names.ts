// How place names are compared: what people write for a suburb or a state differs in case, accents, apostrophes,
// hyphens and abbreviations, and still means the same place.
import { cacheResults } from "../cacheResults.js";

const shortForms: Readonly<Record<string, readonly string[]>> = {
  SAINT: ["ST"],
  SAINTE: ["STE"],
  MOUNT: ["MT"],
  MOUNTAIN: ["MTN"],
  FORT: ["FT"],
  // "Pt" stands for both, so both are compared as "Pt".
  PT: ["PORT", "POINT"],
  NORTH: ["NTH", "N"],
  SOUTH: ["STH", "S"],
  EAST: ["E"],
  WEST: ["W"],
  HEIGHTS: ["HTS", "HGTS"],
  BEACH: ["BCH"],
  GARDENS: ["GDNS", "GRDNS"],
  GROVE: ["GR", "GRV"],
  CREEK: ["CK", "CRK"],
  ISLAND: ["IS", "ISL"],
  JUNCTION: ["JCT", "JNC"],
  VALLEY: ["VLY"],
  PARK: ["PK"],
  HARBOUR: ["HBR", "HARBOR"],
  LAKE: ["LK"],
  HEAD: ["HD"],
  HEADS: ["HDS"],
  CENTRE: ["CTR", "CENTER", "CNTR"],
  UPPER: ["UPR"],
  LOWER: ["LWR"],
  SPRINGS: ["SPGS"],
  VILLAGE: ["VILL"],
  NUMBER: ["NO"],
};

const fullWords = new Map(Object.entries(shortForms).flatMap(([word, others]) => others.map((other) => [other, word] as const)));

const directions = new Set(["NORTH", "SOUTH", "EAST", "WEST", "CENTRAL", "UPPER", "LOWER"]);

function tokens(name: string): string[] {
  const plain = name
    .normalize("NFD")
    .replace(/[\u0300-\u036f'\u2018\u2019`.]/g, (mark) => (mark === "." ? " " : ""))
    .toUpperCase()
    .replace(/&/g, " AND ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return plain === "" ? [] : plain.split(" ").map((word) => fullWords.get(word) ?? word);
}

/** Two names with the same key are the same place. */
export const nameKey = (name: string): string => tokens(name).join("");

/** States are compared by their letters alone: in `N.S.W.` the N is no North. */
export const stateKey = (state: string): string =>
  state
    .normalize("NFD")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toUpperCase();

/** The keys of other ways to write a name, such as "Melbourne East" and "Sydney CBD". Tried only if no place has the name as written. */
export function looseNameKeys(name: string): string[] {
  const parts = tokens(name);
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined || parts.length < 2) return [];
  const keys: string[] = [];
  if (directions.has(first)) keys.push([...parts.slice(1), first].join(""));
  if (directions.has(last)) keys.push([last, ...parts.slice(0, -1)].join(""));
  if (last === "CBD" || last === "CITY") keys.push(parts.slice(0, -1).join(""));
  if (last === "CBD") keys.push([...parts.slice(0, -1), "CITY"].join(""));
  return keys;
}

/** Returns `nameKey` with a cache, since imports repeat the same names. Longer names are rare and not cached. */
export function createCachedNameKey(maxCached = 20_000, maxLength = 200): (name: string) => string {
  const cachedKey = cacheResults(maxCached, nameKey);
  return (name) => (name.length > maxLength ? nameKey(name) : cachedKey(name));
}
