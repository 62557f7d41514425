// How place names are compared: what people write for a suburb or a state differs in case, accents, apostrophes,
// hyphens and abbreviations, and still means the same place.

const words = new Map([
  ["ST", "SAINT"],
  ["STE", "SAINTE"],
  ["MT", "MOUNT"],
  ["MTN", "MOUNTAIN"],
  ["FT", "FORT"],
  // "Pt" stands for both, so both are compared as "Pt".
  ["PORT", "PT"],
  ["POINT", "PT"],
  ["NTH", "NORTH"],
  ["STH", "SOUTH"],
  ["N", "NORTH"],
  ["S", "SOUTH"],
  ["E", "EAST"],
  ["W", "WEST"],
  ["HTS", "HEIGHTS"],
  ["HGTS", "HEIGHTS"],
  ["BCH", "BEACH"],
  ["GDNS", "GARDENS"],
  ["GRDNS", "GARDENS"],
  ["GR", "GROVE"],
  ["GRV", "GROVE"],
  ["CK", "CREEK"],
  ["CRK", "CREEK"],
  ["IS", "ISLAND"],
  ["ISL", "ISLAND"],
  ["JCT", "JUNCTION"],
  ["JNC", "JUNCTION"],
  ["VLY", "VALLEY"],
  ["PK", "PARK"],
  ["HBR", "HARBOUR"],
  ["HARBOR", "HARBOUR"],
  ["LK", "LAKE"],
  ["HD", "HEAD"],
  ["HDS", "HEADS"],
  ["CTR", "CENTRE"],
  ["CENTER", "CENTRE"],
  ["CNTR", "CENTRE"],
  ["UPR", "UPPER"],
  ["LWR", "LOWER"],
  ["SPGS", "SPRINGS"],
  ["VILL", "VILLAGE"],
  ["NO", "NUMBER"],
]);

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
export function nameKey(name: string): string {
  return tokens(name).join("");
}

/** States are compared by their letters alone: in `N.S.W.` the N is no North. */
export function stateKey(state: string): string {
  return state
    .normalize("NFD")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toUpperCase();
}

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

/** Remembers up to `limit` keys, since imports ask for the same names over and over. */
export function rememberingNameKey(limit = 20_000, longest = 200): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    if (name.length > longest) return nameKey(name);
    let key = known.get(name);
    if (key === undefined) {
      key = nameKey(name);
      if (known.size >= limit) known.clear();
      known.set(name, key);
    }
    return key;
  };
}
