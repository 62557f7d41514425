import { type SQL, sql } from "drizzle-orm";
import type { Geography } from "../../domain/geography/geography.js";
import { type TimeRange, timeScope } from "../rowPage.js";

/** Selects shipments that meet every given condition. `from` and `to` limit the time at which they were last written. */
export interface ShipmentFilter extends TimeRange {
  readonly customerId?: string | undefined;
  /** The beginning of the shipment id. */
  readonly shipmentIdPrefix?: string | undefined;
  /** The reference of the import that last wrote the shipment. */
  readonly sourceDetails?: string | undefined;
  /** The shipment's origin or destination. */
  readonly place?: ShipmentPlace | undefined;
}

export interface ShipmentPlace {
  readonly postCodes: readonly string[];
  /** The suburb within the postcodes, in capitals; undefined for all of them. */
  readonly suburb: string | undefined;
}

/** The most postcodes that are searched for one suburb. */
const maxPostCodes = 200;

/** Reads the text as a postcode if it has a digit, otherwise as a suburb, which is found by its postcodes. */
export function placeOf(text: string, geography: Pick<Geography, "postalCodesOf">, countryCode?: string): ShipmentPlace {
  const trimmed = text.trim();
  if (/\d/.test(trimmed)) return { postCodes: [...new Set([trimmed, trimmed.toUpperCase()])], suburb: undefined };
  return { postCodes: geography.postalCodesOf(trimmed, countryCode).slice(0, maxPostCodes), suburb: trimmed.toUpperCase() };
}

/** The filter as a part of a cursor's scope. */
export const shipmentScope = ({ customerId, shipmentIdPrefix, sourceDetails, place, ...range }: ShipmentFilter): string[] => [
  ...[customerId, shipmentIdPrefix, sourceDetails].map((text) => (text === undefined ? "" : `=${text}`)),
  ...timeScope(range),
  ...(place ? [JSON.stringify([place.suburb ?? "", ...place.postCodes])] : []),
];

/** The filter's conditions on a row named `scanned`. Some repeat conditions that the scan has already applied, which is harmless. */
export function conditionsOf({ customerId, shipmentIdPrefix, sourceDetails, place, from, to }: ShipmentFilter): SQL[] {
  const conditions = [
    customerId === undefined ? undefined : sql`scanned.fields ->> 'customerId' = ${customerId}`,
    shipmentIdPrefix === undefined ? undefined : sql`starts_with(scanned."shipmentId", ${shipmentIdPrefix})`,
    sourceDetails === undefined ? undefined : sql`scanned."sourceDetails" = ${sourceDetails}`,
    place && sql`(${isAtSql("origin", place)} or ${isAtSql("destination", place)})`,
    from && sql`scanned."updatedAt" >= ${from.toISOString()}::timestamptz`,
    to && sql`scanned."updatedAt" < ${to.toISOString()}::timestamptz`,
  ];
  return conditions.filter((condition) => condition !== undefined);
}

function isAtSql(end: "origin" | "destination", { postCodes, suburb }: ShipmentPlace): SQL {
  const [code, name] = [sql.raw(`scanned.fields ->> '${end}PostCode'`), sql.raw(`upper(scanned.fields ->> '${end}Suburb')`)];
  const codes = sql`${code} in (select json_array_elements_text(${JSON.stringify(postCodes)}::json))`;
  return suburb === undefined ? codes : sql`(${codes} and ${name} = ${suburb})`;
}
