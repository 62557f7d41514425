import { cacheResults } from "../cacheResults.js";
import { nameKey, stateKey } from "./names.js";
import { comparablePostalCode, lengthsAfterHyphens, packPostalCode, unpackPostalCode } from "./postalCode.js";

/** One locality of a data source. The first one of a postcode is the primary one. */
export interface LocalityRow {
  readonly postalCode: string;
  readonly suburb: string;
  /** The city that the suburb is part of; the suburb itself if there is none. */
  readonly city: string;
  readonly state: string;
  readonly stateName: string;
  /** Whether the place has only post-office boxes. */
  readonly poBox: boolean;
}

export interface Locality extends Omit<LocalityRow, "postalCode"> {
  readonly suburbKey: string;
  readonly stateKeys: readonly [string, string];
}

/** The localities of one country. */
export type CountryLocalities = ReturnType<typeof buildLocalities>;

function createNameTable() {
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
    seal: () => ids.clear(), // frees the look-up by name, which is needed only while the rows are collected
  };
}

/** Quotes ask for the same postcodes again and again. All of Australia's, some 3,200, fit. */
const maxCachedCodes = 5_000;
/** Searches by prefix look through the first localities of a country, up to this number. In a larger country they miss places. */
const maxSearched = 50_000;

/**
 * Keeps localities in typed arrays with shared names, so that 1.7 million British codes take some 60 MB. The rows of a postcode are
 * chained in their order, and a hash table with open addressing finds the first row of a postcode.
 */
export function buildLocalities(countryCode: string, rows: Iterable<LocalityRow>) {
  const names = createNameTable();
  const table = collectRows(countryCode, rows, names);
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
  const findByCode = cacheResults(maxCachedCodes, (postalCode: string): readonly Locality[] => {
    const found: Locality[] = [];
    for (let row = first(packPostalCode(postalCode)); row !== 0; row = next[row] ?? 0) found.push(place(row - 1));
    return found;
  });
  return {
    size: table.codes.length,
    /** How many letters and digits follow the hyphens of this country's codes. */
    lengthsAfterHyphens: table.lengthsAfterHyphens,
    /** The localities of a postcode, the primary one first. */
    findByCode,
    /** At most `maxFound` localities whose code or suburb key begins with `prefix`, in the order of the data source. */
    findByPrefix(prefix: { readonly code: string } | { readonly suburbKey: string }, maxFound: number) {
      const found: (Locality & { readonly postalCode: string })[] = [];
      const rowsSearched = Math.min(table.codes.length, maxSearched);
      for (let row = 0; row < rowsSearched && found.length < maxFound; row += 1) {
        if ("suburbKey" in prefix && !names.key(table.cells[row * 4] ?? 0).startsWith(prefix.suburbKey)) continue;
        const postalCode = unpackPostalCode(table.codes[row] ?? 0);
        if ("code" in prefix && !postalCode.startsWith(prefix.code)) continue;
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
  readonly lengthsAfterHyphens: ReadonlySet<number>;
}

function collectRows(countryCode: string, rows: Iterable<LocalityRow>, names: ReturnType<typeof createNameTable>): Table {
  let [codes, cells, count] = [new Float64Array(4_096), new Uint32Array(16_384), 0];
  const hyphenLengths = new Set<number>();
  for (const row of rows) {
    const code = packPostalCode(comparablePostalCode(countryCode, row.postalCode));
    if (code === 0) continue;
    if (count === codes.length)
      [codes, cells] = [copyInto(codes, new Float64Array(count * 2)), copyInto(cells, new Uint32Array(count * 8))];
    codes[count] = code;
    if (row.postalCode.includes("-")) for (const length of lengthsAfterHyphens(row.postalCode)) hyphenLengths.add(length);
    const stateName = names.id(row.stateName) * 2 + (row.poBox ? 1 : 0);
    cells.set([names.id(row.suburb), names.id(row.city), names.id(row.state), stateName], count * 4);
    count += 1;
  }
  names.seal();
  return { codes: codes.slice(0, count), cells: cells.slice(0, count * 4), lengthsAfterHyphens: hyphenLengths };
}

function copyInto<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Chains the rows with equal codes. Row numbers count from 1 here; 0 means none. */
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
