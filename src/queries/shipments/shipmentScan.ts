// The ways to find the shipments that a filter asks for. A scan reads an index in the order of the list, beginning where the last page ended, so that
// a page costs what it reads and not what the ledger holds.
import { type SQL, sql } from "drizzle-orm";
import { searchKey } from "../../projections/tables/imports.js";
import { shipmentKey, shipmentKeyLength } from "../../projections/tables/shipments.js";
import type { ShipmentFilter } from "./shipmentFilter.js";

export interface ShipmentScan {
  /** Part of the cursor's scope: the values in one scan's cursor mean nothing to another scan. */
  readonly name: string;
  /** If not, the caller has to apply the rest of the filter. */
  readonly appliesWholeFilter: boolean;
  /**
   * The first `count` shipments, or those after the shipment with these cursor values, in order. The column `cursorValues` has the values of each
   * shipment, and `n` its number, from 1.
   */
  pageSql(after: readonly string[] | undefined, count: number): SQL;
  /** For a scan that may stop before it has found `count` shipments: the cursor values after which the next page begins, if there is one. */
  resumeSql?(after: readonly string[] | undefined): SQL;
}

const columns = sql.raw(
  `s.shipment_id as "shipmentId", s.fields, s.items, s.source_details as "sourceDetails", s.import_id as "importId", s.updated_at as "updatedAt"`,
);

/** Chooses the scan that reads the fewest shipments. */
export function chooseScan(organisationId: string, filter: ShipmentFilter): ShipmentScan {
  if (filter.place) return scanByPlace(organisationId, filter, filter.place.postCodes);
  if (has(filter, "customerId")) return scanById(organisationId, filter);
  const byImport = has(filter, "sourceDetails") || (has(filter, "from", "to") && !has(filter, "shipmentIdPrefix"));
  return byImport ? scanByImport(organisationId, filter) : scanById(organisationId, filter);
}

/** Whether the filter has one of these. */
const has = (filter: ShipmentFilter, ...names: (keyof ShipmentFilter)[]): boolean => names.some((name) => filter[name] !== undefined);

/** The text as the indexes have it. */
const keyOf = (text: string): string => [...text].slice(0, shipmentKeyLength).join("");

/**
 * Compares the id together with the column before it in the index, although that column's value is given: Postgres then expects many rows, and reads
 * them in the order of the index instead of sorting them.
 */
const afterId = ([id]: readonly string[] = [], column: SQL, value: SQL): SQL =>
  id === undefined ? sql`` : sql` and (${column}, shipment_id) > (${value}, ${id})`;

/** A database that compares text by bytes, as the embedded one does, has ids with the same prefix beside each other in the index. */
const withPrefix = ({ shipmentIdPrefix }: ShipmentFilter): SQL =>
  shipmentIdPrefix === undefined ? sql`` : sql` and starts_with(shipment_id, ${shipmentIdPrefix})`;

function scanById(organisationId: string, filter: ShipmentFilter): ShipmentScan {
  const { customerId } = filter;
  const [column, value] =
    customerId === undefined ? [sql`organisation_id`, sql`${organisationId}`] : [shipmentKey("customerId"), sql`${keyOf(customerId)}`];
  return {
    name: "by id",
    appliesWholeFilter: !has(filter, "sourceDetails", "from", "to"),
    pageSql: (after, count) => sql`
      select ${columns}, json_build_array(s.shipment_id) as "cursorValues", row_number() over (order by s.shipment_id) as n
        from (select * from shipments where organisation_id = ${organisationId} and ${column} = ${value}${withPrefix(filter)}${afterId(after, column, value)}
               order by shipment_id limit ${count}) as s`,
  };
}

/** Reads the first `count` ids of each postcode. The first `count` of all postcodes are among them. */
const scanByPlace = (organisationId: string, filter: ShipmentFilter, postCodes: readonly string[]): ShipmentScan => ({
  name: "by place",
  appliesWholeFilter: filter.place?.suburb === undefined && !has(filter, "customerId", "sourceDetails", "from", "to"),
  pageSql(after, count) {
    const withPostCode = (field: "originPostCode" | "destinationPostCode") => sql`
        (select * from shipments where organisation_id = ${organisationId} and ${shipmentKey(field)} = code${withPrefix(filter)}${afterId(after, shipmentKey(field), sql`code`)}
          order by shipment_id limit ${count})`;
    return sql`
      select ${columns}, json_build_array(s.shipment_id) as "cursorValues", row_number() over (order by s.shipment_id) as n
        from (select distinct on (shipment_id) either.*
                from json_array_elements_text(${JSON.stringify(postCodes.map(keyOf))}::json) as code
                     cross join lateral (${withPostCode("originPostCode")} union all ${withPostCode("destinationPostCode")}) as either
               order by shipment_id limit ${count}) as s`;
  },
});

/** A page scans no more imports than this. */
const mostImports = 1_000;

/** The import that ended last comes first. A shipment belongs to the import that wrote it last. */
function scanByImport(organisationId: string, filter: ShipmentFilter): ShipmentScan {
  const { sourceDetails, from, to } = filter;
  const imports = ([finishedAt, position, shipmentId]: readonly string[] = []) => sql`
    select position, finished_at, kind, status from imports
     where organisation_id = ${organisationId} and finished_at is not null
       ${sourceDetails === undefined ? sql`` : sql`and ${sql.raw(searchKey("source_details"))} = lower(left(${sourceDetails}, 200)) and source_details = ${sourceDetails}`}
       ${from ? sql`and finished_at >= ${from.toISOString()}::timestamptz` : sql``}
       ${to ? sql`and finished_at < ${to.toISOString()}::timestamptz` : sql``}
       ${finishedAt === undefined ? sql`` : sql`and (finished_at, position) ${sql.raw(shipmentId === undefined ? "<" : "<=")} (${finishedAt}::timestamptz, ${position}::bigint)`}
     order by finished_at desc, position desc limit ${mostImports}`;
  /** Without a shipment id the next page begins after all shipments of the import. */
  const cursorValues = (...shipmentId: SQL[]) => {
    const finishedAt = sql`to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    return sql`json_build_array(${sql.join([finishedAt, sql`position::text`, ...shipmentId], sql`, `)}) as "cursorValues"`;
  };
  return {
    name: "by import",
    appliesWholeFilter: !has(filter, "shipmentIdPrefix"),
    pageSql: (after, count) => sql`
      select ${columns}, ${cursorValues(sql`s.shipment_id`)}, row_number() over (order by finished_at desc, position desc, s.shipment_id) as n
        from (select i.finished_at, i.position, ledger.* from (${imports(after)}) as i cross join lateral
                (select * from shipments where import_position = i.position and organisation_id = ${organisationId}
                   ${after?.[2] !== undefined ? sql`and (import_position <> ${after[1]}::bigint or shipment_id > ${after[2]})` : sql``}
                  order by shipment_id limit ${count}) as ledger
               where i.kind = 'shipments' and i.status = 'completed'
               order by i.finished_at desc, i.position desc, ledger.shipment_id limit ${count}) as s`,
    resumeSql: (after) => sql`
      select "cursorValues" from (select ${cursorValues()}, row_number() over (order by finished_at desc, position desc) as n
                                    from (${imports(after)}) as i) as scanned where n = ${mostImports}`,
  };
}
