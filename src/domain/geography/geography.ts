// src/domain/geography resolves a place as people write it to one location, or says why it cannot be resolved.
// It has only the rules: callers pass in the localities, row by row.
import { countryCodeOf, countryName } from "./countries.js";
import { buildLocalities, type CountryLocalities, type Locality, type LocalityRow } from "./localities.js";
import { looseNameKeys, nameKey, stateKey } from "./names.js";
import { comparablePostalCode, formatPostalCode, plainPostalCode, postalCodeCandidates, readPostalCode } from "./postalCode.js";

export interface Location extends Omit<LocalityRow, "poBox"> {
  readonly countryCode: string;
}

export interface LocationRequest {
  readonly postalCode: string;
  readonly suburb?: string | undefined;
  /** The state's code or name. */
  readonly state?: string | undefined;
  readonly countryCode?: string | undefined;
}

export type LocationFault = "postcode" | "suburb" | "state" | "country";

type Resolution =
  | { readonly ok: true; readonly location: Location; readonly poBox: boolean }
  | { readonly ok: false; readonly fault: LocationFault; readonly message: string };

export type Suggestion = Pick<Location, "postalCode" | "suburb" | "state">;

const maxSuggestions = 12;
const maxOfOneSuburb = 1_000;

export type Geography = ReturnType<typeof createGeography>;

/** `readLocalities` returns a country's localities, or undefined if there are none. It is called when a country is first needed. */
export function createGeography(readLocalities: (countryCode: string) => Iterable<LocalityRow> | undefined) {
  const countries = new Map<string, CountryLocalities | undefined>();
  const localitiesOf = (countryCode: string): CountryLocalities | undefined => {
    if (!countries.has(countryCode)) {
      const rows = readLocalities(countryCode);
      countries.set(countryCode, rows && buildLocalities(countryCode, rows));
    }
    return countries.get(countryCode);
  };
  return {
    /** Forgets a country's localities, so that the next call reads them again. */
    forget: (countryCode: string): void => void countries.delete(countryCode),
    /** Places whose postcode or suburb begins with the text, to suggest while a person types. */
    suggest(typed: string, country?: string): readonly Suggestion[] {
      const [code, key] = [countryCodeOf(country), typed.trim()];
      const places = code === undefined || key.length < 2 ? undefined : localitiesOf(code);
      if (!places || code === undefined) return [];
      // 200 may be the beginning of 2000, and 800 may be 0800 from a spreadsheet, which drops zeros.
      const codes = [...new Set([plainPostalCode(key), comparablePostalCode(code, key)])];
      const found = /\d/.test(key)
        ? codes.flatMap((prefix) => places.findByPrefix({ code: prefix }, maxSuggestions / codes.length))
        : places.findByPrefix({ suburbKey: nameKey(key) }, maxSuggestions);
      return found.map(({ postalCode, suburb, state }) => ({ postalCode, suburb, state }));
    },
    /** The postcodes of a suburb, by its name in any of its spellings; empty if there is none. */
    postalCodesOf(suburb: string, country?: string): readonly string[] {
      const [code, suburbKey] = [countryCodeOf(country), nameKey(suburb)];
      const places = code === undefined || suburbKey === "" ? undefined : localitiesOf(code);
      const found = places?.findByPrefix({ suburbKey }, maxOfOneSuburb) ?? [];
      return [...new Set(found.filter((place) => place.suburbKey === suburbKey).map(({ postalCode }) => postalCode))];
    },
    resolve(request: LocationRequest): Resolution {
      const countryCode = countryCodeOf(request.countryCode);
      if (countryCode === undefined) return unresolved("country", `Country ${quoted(request.countryCode)} is not an ISO country code`);
      const written = request.postalCode.trim();
      if (written === "") return unresolved("postcode", "Postcode is missing");
      const places = localitiesOf(countryCode);
      if (!places)
        return unresolved(
          "country",
          `No postcodes are loaded for ${countryName(countryCode)} (${countryCode}); load them with "localities import"`,
        );
      const found = findPostcode(places, countryCode, written);
      if (!found) return unresolved("postcode", `Postcode ${quoted(written)} is not a postcode of ${countryName(countryCode)}`);
      const { postalCode } = found;
      const locality = chooseLocality(found.places, { ...request, postalCode });
      if ("fault" in locality) return locality;
      const { suburb, city, state, stateName, poBox } = locality;
      return { ok: true, location: { postalCode, suburb, city, state, stateName, countryCode }, poBox };
    },
  };
}

function findPostcode(
  places: CountryLocalities,
  countryCode: string,
  written: string,
): { postalCode: string; places: readonly Locality[] } | undefined {
  const plain = readPostalCode(countryCode, written, places.lengthsAfterHyphens);
  const candidates = plain === undefined ? [] : postalCodeCandidates(countryCode, plain);
  for (const code of candidates) {
    const found = places.findByCode(code);
    if (found.length === 0) continue;
    const hasRestoredZeros = code.length > (candidates[0] ?? code).length;
    return { postalCode: formatPostalCode(countryCode, hasRestoredZeros ? code : written), places: found };
  }
  return undefined;
}

type Unresolved = Extract<Resolution, { ok: false }>;

function chooseLocality(found: readonly Locality[], request: LocationRequest): Locality | Unresolved {
  const { postalCode } = request;
  const [suburb, state] = [(request.suburb ?? "").trim(), (request.state ?? "").trim()];
  const inSuburb = suburb === "" ? found : localitiesNamed(found, suburb);
  if (inSuburb.length === 0) {
    return unresolved(
      "suburb",
      `Suburb ${quoted(suburb)} is not in postcode ${postalCode}; it has ${joinNames(found.map((place) => place.suburb))}`,
    );
  }
  const key = stateKey(state);
  const matching = state === "" ? inSuburb : inSuburb.filter((place) => place.stateKeys.includes(key));
  const [best] = matching;
  if (best) return best;
  const where = suburb === "" ? `Postcode ${postalCode}` : `${inSuburb[0]?.suburb} ${postalCode}`;
  return unresolved("state", `${where} is in ${joinNames(inSuburb.map((place) => place.state))}, not in ${quoted(state)}`);
}

function localitiesNamed(found: readonly Locality[], suburb: string): readonly Locality[] {
  const withKey = (key: string): Locality[] => found.filter((place) => place.suburbKey === key);
  const sameName = withKey(nameKey(suburb));
  // The exact spelling comes first: Brisbane-City and Brisbane City are two places of 4000.
  const isExact = (place: Locality) => Number(place.suburb.toUpperCase() === suburb.toUpperCase());
  if (sameName.length > 0) return sameName.sort((one, other) => isExact(other) - isExact(one));
  for (const key of looseNameKeys(suburb)) {
    const similarlyNamed = withKey(key);
    if (similarlyNamed.length > 0) return similarlyNamed;
  }
  return [];
}

const unresolved = (kind: LocationFault, message: string): Unresolved => ({ ok: false, fault: kind, message });

function quoted(text: string | undefined): string {
  const shown = (text ?? "").trim();
  return `"${shown.length > 40 ? `${shown.slice(0, 40)}...` : shown}"`;
}

function joinNames(names: readonly string[]): string {
  const unique = [...new Set(names)];
  return unique.length <= 5 ? unique.join(", ") : `${unique.slice(0, 5).join(", ")} and ${unique.length - 5} more`;
}
