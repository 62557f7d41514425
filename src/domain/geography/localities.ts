import { cacheResults } from "../cacheResults.js";
import { nameKey, stateKey } from "./names.js";
import { comparablePostalCode, hyphensOf, packPostalCode, unpackPostalCode } from "./postalCode.js";

/** One locality as a data source gives it; the first one given for a postcode is the primary one. */
export interface LocalityRow {
  readonly postalCode: string;
  readonly suburb: string;
  /** The city that the suburb is part of; the suburb itself where there is none. */
  readonly city: string;
  readonly state: string;
  readonly stateName: string;
  /** Reached only through post-office boxes. */
  readonly poBox: boolean;
}

export interface Locality extends Omit<LocalityRow, "postalCode"> {
  readonly suburbKey: string;
  readonly stateKeys: readonly [string, string];
}

/** The localities of one country. */
export type CountryLocalities = ReturnType<typeof buildLocalities>;

function internNames() {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const keys: string[] = [];
  return {
    id(name: string): number {
      let id = ids.get(name);
      if (id === undefined) {
        id = names.push(name) - 1;
        ids.set(name, id);
      }
      return id;
    },
    name: (id: number): string => names[id] ?? "",
    key(id: number): string {
      keys[id] ??= nameKey(names[id] ?? "");
      return keys[id] ?? "";
    },
    seal: () => ids.clear(), // the ids are needed only while the places are built
  };
}

/** Quotes ask for the same postcodes again and again; Australia has some 3,200. */
const mostRemembered = 5_000;
/** Suggestions are searched among this many localities of a country. Those of a larger country are never complete. */
const mostLookedThrough = 50_000;

/**
 * Typed arrays and shared names: 1.7 million British codes take some 60 MB.
 * Rows of a postcode are chained in the order given; a table with open addressing finds the first.
 */
export function buildLocalities(countryCode: string, rows: Iterable<LocalityRow>) {
  const names = internNames();
  const table = collect(countryCode, rows, names);
  const { first, next } = chainByCode(table.codes);
  const place = (row: number): Locality => {
    const cell = (column: number): number => table.cells[row * 4 + column] ?? 0;
    const stateName = cell(3) >>> 1;
    return {
      suburb: names.name(cell(0)),
      city: names.name(cell(1)),
      state: names.name(cell(2)),
      stateName: names.name(stateName),
      poBox: (cell(3) & 1) === 1,
      suburbKey: names.key(cell(0)),
      stateKeys: [stateKey(names.name(cell(2))), stateKey(names.name(stateName))],
    };
  };
  const at = cacheResults(mostRemembered, (postalCode: string): readonly Locality[] => {
    const found: Locality[] = [];
    for (let row = first(packPostalCode(postalCode)); row !== 0; row = next[row] ?? 0) found.push(place(row - 1));
    return found;
  });
  return {
    size: table.codes.length,
    /** Where the codes have hyphens: how many letters and digits follow. */
    hyphens: table.hyphens,
    /** Primary first. */
    at,
    /** Those whose code, or whose suburb's name, begins like this, in the order given; at most `most`. */
    beginningWith(start: { readonly code: string } | { readonly suburbKey: string }, most: number) {
      const found: (Locality & { readonly postalCode: string })[] = [];
      const rowsLooked = Math.min(table.codes.length, mostLookedThrough);
      for (let row = 0; row < rowsLooked && found.length < most; row += 1) {
        if ("suburbKey" in start && !names.key(table.cells[row * 4] ?? 0).startsWith(start.suburbKey)) continue;
        const postalCode = unpackPostalCode(table.codes[row] ?? 0);
        if ("code" in start && !postalCode.startsWith(start.code)) continue;
        found.push({ ...place(row), postalCode });
      }
      return found;
    },
  };
}

interface Table {
  readonly codes: Float64Array;
  /** Four per row: suburb, city, state, and the state's name with the post-office-box flag in its lowest bit. */
  readonly cells: Uint32Array;
  readonly hyphens: ReadonlySet<number>;
}

function collect(countryCode: string, rows: Iterable<LocalityRow>, names: ReturnType<typeof internNames>): Table {
  let [codes, cells, count] = [new Float64Array(4_096), new Uint32Array(16_384), 0];
  const hyphens = new Set<number>();
  for (const row of rows) {
    const code = packPostalCode(comparablePostalCode(countryCode, row.postalCode));
    if (code === 0) continue;
    if (count === codes.length) [codes, cells] = [grown(codes, new Float64Array(count * 2)), grown(cells, new Uint32Array(count * 8))];
    codes[count] = code;
    if (row.postalCode.includes("-")) for (const behind of hyphensOf(row.postalCode)) hyphens.add(behind);
    const stateName = names.id(row.stateName) * 2 + (row.poBox ? 1 : 0);
    cells.set([names.id(row.suburb), names.id(row.city), names.id(row.state), stateName], count * 4);
    count += 1;
  }
  names.seal();
  return { codes: codes.slice(0, count), cells: cells.slice(0, count * 4), hyphens };
}

function grown<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Row numbers count from 1 here; 0 is "none". */
function chainByCode(codes: Float64Array): { first(code: number): number; next: Uint32Array } {
  const slots = Math.max(17, codes.length * 2 + 1);
  const heads = new Uint32Array(slots);
  const tails = new Uint32Array(slots);
  const next = new Uint32Array(codes.length + 1);
  const slotOf = (code: number): number => {
    let slot = code % slots;
    for (let head = heads[slot] ?? 0; head !== 0 && codes[head - 1] !== code; head = heads[slot] ?? 0) slot = (slot + 1) % slots;
    return slot;
  };
  for (let row = 1; row <= codes.length; row += 1) {
    const slot = slotOf(codes[row - 1] ?? 0);
    const tail = tails[slot] ?? 0;
    if (tail === 0) heads[slot] = row;
    else next[tail] = row;
    tails[slot] = row;
  }
  return { first: (code) => (code === 0 ? 0 : (heads[slotOf(code)] ?? 0)), next };
}
