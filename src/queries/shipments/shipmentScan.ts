// The ways to find the shipments that a filter selects. A scan reads an index in the list's order, beginning where the last page ended, so
// that the cost of a page depends on what it reads, not on the size of the ledger.
import { type SQL, sql } from "drizzle-orm";
import { searchKeySql } from "../../projections/tables/imports.js";
import { maxShipmentKeyLength, shipmentKeySql } from "../../projections/tables/shipments.js";
import type { ShipmentFilter } from "./shipmentFilter.js";

export interface ShipmentScan {
  /** A part of the cursor's scope, since the values in one scan's cursor mean nothing to another scan. */
  readonly name: string;
  /** If false, the caller has to apply the rest of the filter. */
  readonly appliesWholeFilter: boolean;
  /**
   * SQL for the next `count` shipments in order, from the start or after the shipment with the cursor values `after`. The column
   * `cursorValues` has the values of each shipment, and `n` its number, from 1.
   */
  pageSql(after: readonly string[] | undefined, count: number): SQL;
  /** For a scan that may stop before it has found `count` shipments: the cursor values after which the next page begins, if any. */
  resumeSql?(after: readonly string[] | undefined): SQL;
}

const columns = sql.raw(
  `s.shipment_id as "shipmentId", s.fields, s.items, s.source_details as "sourceDetails", s.import_id as "importId", s.updated_at as "updatedAt"`,
);

/** Chooses the scan that reads the fewest shipments. */
export function chooseScan(organisationId: string, filter: ShipmentFilter): ShipmentScan {
  if (filter.place) return scanByPlace(organisationId, filter, filter.place.postCodes);
  if (hasAny(filter, "customerId")) return scanById(organisationId, filter);
  const byImport = hasAny(filter, "sourceDetails") || (hasAny(filter, "from", "to") && !hasAny(filter, "shipmentIdPrefix"));
  return byImport ? scanByImport(organisationId, filter) : scanById(organisationId, filter);
}

const hasAny = (filter: ShipmentFilter, ...names: (keyof ShipmentFilter)[]): boolean => names.some((name) => filter[name] !== undefined);

/** The text as the indexes hold it. */
const keyOf = (text: string): string => [...text].slice(0, maxShipmentKeyLength).join("");

/**
 * Compares the id together with the column before it in the index, although that column has a fixed value: Postgres then expects many rows
 * and reads them in the order of the index instead of sorting them.
 */
const afterIdSql = ([id]: readonly string[] = [], column: SQL, value: SQL): SQL =>
  id === undefined ? sql`` : sql` and (${column}, shipment_id) > (${value}, ${id})`;

/** In a database that compares text by bytes, such as the embedded one, ids with the same prefix are adjacent in the index. */
const hasPrefixSql = ({ shipmentIdPrefix }: ShipmentFilter): SQL =>
  shipmentIdPrefix === undefined ? sql`` : sql` and starts_with(shipment_id, ${shipmentIdPrefix})`;

function scanById(organisationId: string, filter: ShipmentFilter): ShipmentScan {
  const { customerId } = filter;
  const [column, value] =
    customerId === undefined ? [sql`organisation_id`, sql`${organisationId}`] : [shipmentKeySql("customerId"), sql`${keyOf(customerId)}`];
  return {
    name: "by id",
    appliesWholeFilter: !hasAny(filter, "sourceDetails", "from", "to"),
    pageSql: (after, count) => sql`
      select ${columns}, json_build_array(s.shipment_id) as "cursorValues", row_number() over (order by s.shipment_id) as n
        from (select * from shipments where organisation_id = ${organisationId} and ${column} = ${value}${hasPrefixSql(filter)}${afterIdSql(after, column, value)}
               order by shipment_id limit ${count}) as s`,
  };
}

/** Reads the first `count` ids of each postcode, among which are the first `count` of all postcodes together. */
const scanByPlace = (organisationId: string, filter: ShipmentFilter, postCodes: readonly string[]): ShipmentScan => ({
  name: "by place",
  appliesWholeFilter: filter.place?.suburb === undefined && !hasAny(filter, "customerId", "sourceDetails", "from", "to"),
  pageSql(after, count) {
    const shipmentsAtSql = (field: "originPostCode" | "destinationPostCode") => sql`
        (select * from shipments where organisation_id = ${organisationId} and ${shipmentKeySql(field)} = code${hasPrefixSql(filter)}${afterIdSql(after, shipmentKeySql(field), sql`code`)}
          order by shipment_id limit ${count})`;
    return sql`
      select ${columns}, json_build_array(s.shipment_id) as "cursorValues", row_number() over (order by s.shipment_id) as n
        from (select distinct on (shipment_id) either.*
                from json_array_elements_text(${JSON.stringify(postCodes.map(keyOf))}::json) as code
                     cross join lateral (${shipmentsAtSql("originPostCode")} union all ${shipmentsAtSql("destinationPostCode")}) as either
               order by shipment_id limit ${count}) as s`;
  },
});

/** The most imports that are scanned for a page. */
const maxImports = 1_000;

/** Reads shipments by the import that wrote them last, the import that ended last first. */
function scanByImport(organisationId: string, filter: ShipmentFilter): ShipmentScan {
  const { sourceDetails, from, to } = filter;
  const importsSql = ([finishedAt, position, shipmentId]: readonly string[] = []) => sql`
    select position, finished_at, kind, status from imports
     where organisation_id = ${organisationId} and finished_at is not null
       ${sourceDetails === undefined ? sql`` : sql`and ${sql.raw(searchKeySql("source_details"))} = lower(left(${sourceDetails}, 200)) and source_details = ${sourceDetails}`}
       ${from ? sql`and finished_at >= ${from.toISOString()}::timestamptz` : sql``}
       ${to ? sql`and finished_at < ${to.toISOString()}::timestamptz` : sql``}
       ${finishedAt === undefined ? sql`` : sql`and (finished_at, position) ${sql.raw(shipmentId === undefined ? "<" : "<=")} (${finishedAt}::timestamptz, ${position}::bigint)`}
     order by finished_at desc, position desc limit ${maxImports}`;
  /** Without a shipment id the next page begins after all shipments of the import. */
  const cursorValuesSql = (...shipmentId: SQL[]) => {
    const finishedAt = sql`to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    return sql`json_build_array(${sql.join([finishedAt, sql`position::text`, ...shipmentId], sql`, `)}) as "cursorValues"`;
  };
  return {
    name: "by import",
    appliesWholeFilter: !hasAny(filter, "shipmentIdPrefix"),
    pageSql: (after, count) => sql`
      select ${columns}, ${cursorValuesSql(sql`s.shipment_id`)}, row_number() over (order by finished_at desc, position desc, s.shipment_id) as n
        from (select i.finished_at, i.position, ledger.* from (${importsSql(after)}) as i cross join lateral
                (select * from shipments where import_position = i.position and organisation_id = ${organisationId}
                   ${after?.[2] !== undefined ? sql`and (import_position <> ${after[1]}::bigint or shipment_id > ${after[2]})` : sql``}
                  order by shipment_id limit ${count}) as ledger
               where i.kind = 'shipments' and i.status = 'completed'
               order by i.finished_at desc, i.position desc, ledger.shipment_id limit ${count}) as s`,
    resumeSql: (after) => sql`
      select "cursorValues" from (select ${cursorValuesSql()}, row_number() over (order by finished_at desc, position desc) as n
                                    from (${importsSql(after)}) as i) as scanned where n = ${maxImports}`,
  };
}
