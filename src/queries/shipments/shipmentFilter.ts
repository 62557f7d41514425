import { type SQL, sql } from "drizzle-orm";
import type { Geography } from "../../domain/geography/geography.js";
import { type TimeRange, timeScope } from "../rowPage.js";

/** Which shipments are looked for. All that is given has to hold. The times are those at which they were last written. */
export interface ShipmentFilter extends TimeRange {
  readonly customerId?: string | undefined;
  /** What their ids begin with. */
  readonly shipmentIdPrefix?: string | undefined;
  /** The reference of the import that wrote them. */
  readonly sourceDetails?: string | undefined;
  /** Where they come from or go to. */
  readonly place?: ShipmentPlace | undefined;
}

export interface ShipmentPlace {
  readonly postCodes: readonly string[];
  /** Only this suburb of the postcodes, in capitals. */
  readonly suburb: string | undefined;
}

/** How many postcodes of one suburb are searched at most. */
const mostPostCodes = 200;

/** A postcode as it stands in the ledger, or a suburb, which is found by its postcodes. */
export function placeOf(text: string, geography: Pick<Geography, "postalCodesOf">, countryCode?: string): ShipmentPlace {
  const written = text.trim();
  if (/\d/.test(written)) return { postCodes: [...new Set([written, written.toUpperCase()])], suburb: undefined };
  return { postCodes: geography.postalCodesOf(written, countryCode).slice(0, mostPostCodes), suburb: written.toUpperCase() };
}

/** For cursors: a cursor belongs to one filter. */
export const filterScope = ({ customerId, shipmentIdPrefix, sourceDetails, place, ...range }: ShipmentFilter): string[] => [
  ...[customerId, shipmentIdPrefix, sourceDetails].map((text) => (text === undefined ? "" : `=${text}`)),
  ...timeScope(range),
  ...(place ? [JSON.stringify([place.suburb ?? "", ...place.postCodes])] : []),
];

/** Conditions on a row named `scanned`. Those that the scan has already applied are repeated, which is harmless. */
export function conditionsOf({ customerId, shipmentIdPrefix, sourceDetails, place, from, to }: ShipmentFilter): SQL[] {
  const conditions = [
    customerId === undefined ? undefined : sql`scanned.fields ->> 'customerId' = ${customerId}`,
    shipmentIdPrefix === undefined ? undefined : sql`starts_with(scanned."shipmentId", ${shipmentIdPrefix})`,
    sourceDetails === undefined ? undefined : sql`scanned."sourceDetails" = ${sourceDetails}`,
    place && sql`(${isAt("origin", place)} or ${isAt("destination", place)})`,
    from && sql`scanned."updatedAt" >= ${from.toISOString()}::timestamptz`,
    to && sql`scanned."updatedAt" < ${to.toISOString()}::timestamptz`,
  ];
  return conditions.filter((condition) => condition !== undefined);
}

function isAt(end: "origin" | "destination", { postCodes, suburb }: ShipmentPlace): SQL {
  const [code, name] = [sql.raw(`scanned.fields ->> '${end}PostCode'`), sql.raw(`upper(scanned.fields ->> '${end}Suburb')`)];
  const codes = sql`${code} in (select json_array_elements_text(${JSON.stringify(postCodes)}::json))`;
  return suburb === undefined ? codes : sql`(${codes} and ${name} = ${suburb})`;
}
