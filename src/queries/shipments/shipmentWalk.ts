// Walks: the ways to find the shipments that a filter asks for. A walk reads an index in the order of the list, from a place on, so that a
// page costs what it reads and not what the ledger holds.
import { type SQL, sql } from "drizzle-orm";
import { searchKey } from "../../projections/tables/imports.js";
import { shipmentKey, shipmentKeyLength } from "../../projections/tables/shipments.js";
import type { ShipmentFilter } from "./shipmentFilter.js";

export interface Walk {
  /** Part of the cursor's scope: a place in one walk means nothing in another. */
  readonly name: string;
  /** Whether the walk finds exactly what the filter asks for. Otherwise its caller has to apply the rest of the filter. */
  readonly isWhole: boolean;
  /** The first `count` shipments after a place, in order, with the columns `place` and `n`, their number from 1. */
  next(after: readonly string[] | undefined, count: number): SQL;
  /** For a walk that may end before it has `count`: the place to go on from, if there is more. */
  cut?(after: readonly string[] | undefined): SQL;
}

const columns = sql.raw(
  `s.shipment_id as "shipmentId", s.fields, s.items, s.source_details as "sourceDetails", s.import_id as "importId", s.updated_at as "updatedAt"`,
);

/** Chooses the walk that looks at the fewest shipments. */
export function chooseWalk(organisationId: string, filter: ShipmentFilter): Walk {
  const { place, customerId } = filter;
  if (place) return byPlace(organisationId, filter, place.postCodes);
  if (customerId !== undefined) return byId(organisationId, filter, customerId);
  return isByImport(filter) ? byImports(organisationId, filter) : byId(organisationId, filter);
}

/** Whether the list comes by import and not by id. */
export function isByImport(filter: ShipmentFilter): boolean {
  if (has(filter, "place", "customerId")) return false;
  return has(filter, "sourceDetails") || (has(filter, "from", "to") && !has(filter, "shipmentIdPrefix"));
}

const has = (filter: ShipmentFilter, ...names: (keyof ShipmentFilter)[]): boolean => names.some((name) => filter[name] !== undefined);

const key = (text: string): string => [...text].slice(0, shipmentKeyLength).join("");

/** Compares the id together with the column before it in the index. Postgres then expects many rows, and reads in the order of the index. */
const afterId = ([id]: readonly string[] = [], column: SQL, value: SQL): SQL =>
  id === undefined ? sql`` : sql` and (${column}, shipment_id) > (${value}, ${id})`;

/** Ids that begin alike stand together where the database compares bytes, as the embedded one does. */
const beginning = ({ shipmentIdPrefix }: ShipmentFilter): SQL =>
  shipmentIdPrefix === undefined ? sql`` : sql` and starts_with(shipment_id, ${shipmentIdPrefix})`;

function byId(organisationId: string, filter: ShipmentFilter, customerId?: string): Walk {
  const [column, value] =
    customerId === undefined ? [sql`organisation_id`, sql`${organisationId}`] : [shipmentKey("customerId"), sql`${key(customerId)}`];
  return {
    name: "by id",
    isWhole: !has(filter, "sourceDetails", "from", "to"),
    next: (after, count) => sql`
      select ${columns}, json_build_array(s.shipment_id) as place, row_number() over (order by s.shipment_id) as n
        from (select * from shipments where organisation_id = ${organisationId} and ${column} = ${value}${beginning(filter)}${afterId(after, column, value)}
               order by shipment_id limit ${count}) as s`,
  };
}

/** Reads the first `count` ids of each postcode. The first `count` of all postcodes are among them. */
function byPlace(organisationId: string, filter: ShipmentFilter, postCodes: readonly string[]): Walk {
  return {
    name: "by place",
    isWhole: filter.place?.suburb === undefined && !has(filter, "customerId", "sourceDetails", "from", "to"),
    next(after, count) {
      const end = (field: "originPostCode" | "destinationPostCode") => sql`
        (select * from shipments where organisation_id = ${organisationId} and ${shipmentKey(field)} = code${beginning(filter)}${afterId(after, shipmentKey(field), sql`code`)}
          order by shipment_id limit ${count})`;
      return sql`
      select ${columns}, json_build_array(s.shipment_id) as place, row_number() over (order by s.shipment_id) as n
        from (select distinct on (shipment_id) either.*
                from json_array_elements_text(${JSON.stringify(postCodes.map(key))}::json) as code
                     cross join lateral (${end("originPostCode")} union all ${end("destinationPostCode")}) as either
               order by shipment_id limit ${count}) as s`;
    },
  };
}

const mostImports = 1_000;

/** The last ended import first. A shipment belongs to the import that wrote it last. */
function byImports(organisationId: string, filter: ShipmentFilter): Walk {
  const { sourceDetails, from, to } = filter;
  const imports = ([end, position, shipmentId]: readonly string[] = []) => sql`
    select position, finished_at, kind, status from imports
     where organisation_id = ${organisationId} and finished_at is not null
       ${sourceDetails === undefined ? sql`` : sql`and ${sql.raw(searchKey("source_details"))} = lower(left(${sourceDetails}, 200)) and source_details = ${sourceDetails}`}
       ${from ? sql`and finished_at >= ${from.toISOString()}::timestamptz` : sql``}
       ${to ? sql`and finished_at < ${to.toISOString()}::timestamptz` : sql``}
       ${end === undefined ? sql`` : sql`and (finished_at, position) ${sql.raw(shipmentId === undefined ? "<" : "<=")} (${end}::timestamptz, ${position}::bigint)`}
     order by finished_at desc, position desc limit ${mostImports}`;
  /** Without a shipment id the place is after all shipments of the import. */
  const placeAt = (...shipmentId: SQL[]) => {
    const end = sql`to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    return sql`json_build_array(${sql.join([end, sql`position::text`, ...shipmentId], sql`, `)}) as place`;
  };
  return {
    name: "by import",
    isWhole: !has(filter, "shipmentIdPrefix"),
    next: (after, count) => sql`
      select ${columns}, ${placeAt(sql`s.shipment_id`)}, row_number() over (order by finished_at desc, position desc, s.shipment_id) as n
        from (select i.finished_at, i.position, ledger.* from (${imports(after)}) as i cross join lateral
                (select * from shipments where import_position = i.position and organisation_id = ${organisationId}
                   ${after?.[2] !== undefined ? sql`and (import_position <> ${after[1]}::bigint or shipment_id > ${after[2]})` : sql``}
                  order by shipment_id limit ${count}) as ledger
               where i.kind = 'shipments' and i.status = 'completed'
               order by i.finished_at desc, i.position desc, ledger.shipment_id limit ${count}) as s`,
    cut: (after) => sql`
      select place from (select ${placeAt()}, row_number() over (order by finished_at desc, position desc) as n
                           from (${imports(after)}) as i) as looked where n = ${mostImports}`,
  };
}
