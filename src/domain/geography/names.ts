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

const words = new Map(Object.entries(shortForms).flatMap(([word, others]) => others.map((other) => [other, word] as const)));

const directions = new Set(["NORTH", "SOUTH", "EAST", "WEST", "CENTRAL", "UPPER", "LOWER"]);

function tokens(name: string): string[] {
  const plain = name
    .normalize("NFD")
    .replace(/[\u0300-\u036f'\u2018\u2019`.]/g, (mark) => (mark === "." ? " " : ""))
    .toUpperCase()
    .replace(/&/g, " AND ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return plain === "" ? [] : plain.split(" ").map((word) => words.get(word) ?? word);
}

/** Two names with the same key are the same place. */
export const nameKey = (name: string): string => tokens(name).join("");

/** States are compared by their letters alone: in `N.S.W.` the N is no North. */
export const stateKey = (state: string): string =>
  state
    .normalize("NFD")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toUpperCase();

/** Other ways to say it, tried only when the name as given is not there: "Melbourne East", "Sydney CBD". */
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

/** With a memory, since imports ask for the same names over and over. Longer names are rare. */
export function rememberingNameKey(most = 20_000, longest = 200): (name: string) => string {
  const known = cacheResults(most, nameKey);
  return (name) => (name.length > longest ? nameKey(name) : known(name));
}
