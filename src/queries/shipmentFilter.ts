import { type SQL, sql } from "drizzle-orm";
import { shipments } from "../projections/tables/ledgers.js";

/** Which shipments are meant. All that is given has to hold. */
export interface ShipmentFilter {
  readonly customerId?: string | undefined;
  /** What their ids begin with. */
  readonly shipmentIdPrefix?: string | undefined;
  /** The reference of the import that wrote them. */
  readonly sourceDetails?: string | undefined;
  /** When they were last written. Included. */
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
}

export const isFiltered = (filter: ShipmentFilter): boolean => Object.values(filter).some((given) => given !== undefined);

/** For cursors: a cursor belongs to one filter. */
export const filterScope = ({ customerId, shipmentIdPrefix, sourceDetails, from, to }: ShipmentFilter): string[] => [
  ...[customerId, shipmentIdPrefix, sourceDetails].map((text) => (text === undefined ? "" : `=${text}`)),
  ...[from, to].map((time) => time?.toISOString() ?? ""),
];

export const beginsWith = (prefix: string): SQL => sql`starts_with(${shipments.shipmentId}, ${prefix})`;

export function conditionsOf({ customerId, shipmentIdPrefix, sourceDetails, from, to }: ShipmentFilter): (SQL | undefined)[] {
  return [
    customerId === undefined ? undefined : sql`${shipments.fields} ->> 'customerId' = ${customerId}`,
    shipmentIdPrefix === undefined ? undefined : beginsWith(shipmentIdPrefix),
    sourceDetails === undefined ? undefined : sql`${shipments.sourceDetails} = ${sourceDetails}`,
    from && sql`${shipments.updatedAt} >= ${from.toISOString()}::timestamptz`,
    to && sql`${shipments.updatedAt} < ${to.toISOString()}::timestamptz`,
  ];
}
