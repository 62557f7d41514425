import type { Catalogue } from "../catalogue/catalogue.js";
import type { Geography, Location } from "../geography/geography.js";

export type RowContext = ReturnType<typeof rowContext>;

const maxCachedPlaces = 20_000;
/** A place with a longer key is not cached: it is faulty and rare. */
const maxKeyLength = 200;

/** What the rules need to know of the organisation: its time zone, its customers, and the places it serves. */
export function rowContext(catalogue: Catalogue, geography: Geography) {
  const places = new Map<string, Location | undefined>();
  return {
    timezone: catalogue.organisation.timezone,
    knowsCustomer: (customerId: string): boolean => catalogue.customers.has(customerId),
    mandatoryCustomFields: catalogue.mandatoryCustomFields,
    /** The location, if it resolves and lies in a zone of the organisation. */
    locate(postalCode: string, suburb: string, state: string, countryCode: string): Location | undefined {
      const key = `${countryCode}\n${postalCode}\n${state}\n${suburb}`;
      if (places.has(key)) return places.get(key);
      const resolution = geography.resolve({ postalCode, suburb, state, countryCode });
      const location =
        resolution.ok && catalogue.isServiceable(resolution.location.countryCode, resolution.location.postalCode)
          ? resolution.location
          : undefined;
      if (key.length > maxKeyLength) return location;
      if (places.size >= maxCachedPlaces) places.clear(); // a file with many different places must not fill the memory
      places.set(key, location);
      return location;
    },
    /** Why `locate` finds no location, for people. */
    locationFault(postalCode: string, suburb: string, state: string, countryCode: string): string {
      const resolution = geography.resolve({ postalCode, suburb, state, countryCode });
      if (resolution.ok) return `no zone of the catalogue has the postcode ${resolution.location.postalCode}`;
      const [first = "", ...rest] = resolution.message;
      return `${first.toLowerCase()}${rest.join("").replace("; ", ": ")}`; // a semicolon would separate two faults
    },
  };
}
