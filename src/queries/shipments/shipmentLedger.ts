import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Pool } from "pg";
import type { Database } from "../../ports/database.js";
import type { shipments } from "../../projections/tables/shipments.js";
import { givenFields } from "../givenFields.js";
import { type PageRequest, type RowPage, readCursor, writeCursor } from "../rowPage.js";
import { conditionsOf, type ShipmentFilter, shipmentScope } from "./shipmentFilter.js";
import { chooseScan } from "./shipmentScan.js";

type ShipmentRow = Pick<typeof shipments.$inferSelect, "fields" | "items" | "sourceDetails" | "importId" | "updatedAt">;

export type LedgerShipment = Record<string, unknown>;

/** The most shipments that are read for a page, however few of them pass the filter. */
const maxScanned = 5_000;

const dialect = new PgDialect();

interface CursorRow {
  readonly cursorValues: readonly string[];
}

type ScannedRow = CursorRow & ShipmentRow;

/**
 * One page of shipments, in the order of ids: no update changes ids, so pages neither repeat nor skip a shipment. Filtered by reference or
 * by time alone, shipments come by import, the last ended first. A filtered page may be short or empty and still have a next page.
 */
export async function listShipments(
  organisationId: string,
  filter: ShipmentFilter,
  { cursor, limit, secret }: PageRequest,
  pool: Pool,
): Promise<RowPage<LedgerShipment>> {
  const query = async <Row extends object>(statement: SQL): Promise<Row[]> => {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    return (await pool.query<Row>(text, params)).rows;
  };
  const scan = chooseScan(organisationId, filter);
  const scope = ["shipments", scan.name, organisationId, ...shipmentScope(filter)];
  const after = cursor === undefined ? undefined : readCursor(secret, scope, cursor);
  // A scan that applies the whole filter need not read more than the page.
  const count = scan.appliesWholeFilter ? limit + 1 : maxScanned;
  const scanSql = scan.pageSql(after, count);
  const filterSql = sql.join([sql`true`, ...conditionsOf(filter)], sql` and `);
  const rows = await query<ScannedRow>(sql`select * from (${scanSql}) as scanned where ${filterSql} order by n limit ${limit + 1}`);
  const items = rows.slice(0, limit).map(ledgerShipment);
  const pageEndingAt = (row: CursorRow | undefined) => ({
    items,
    nextCursor: row ? writeCursor(secret, scope, row.cursorValues) : null,
  });
  if (rows.length > limit) return pageEndingAt(rows[limit - 1]);
  const lastSql = sql`select "cursorValues" from (${scanSql}) as scanned where n = ${count}`;
  const [last] = scan.appliesWholeFilter ? [] : await query<CursorRow>(lastSql);
  const [end] = last || !scan.resumeSql ? [last] : await query<CursorRow>(scan.resumeSql(after));
  return pageEndingAt(end);
}

export async function findShipment(organisationId: string, shipmentId: string, pool: Pool): Promise<LedgerShipment | undefined> {
  if (shipmentId.includes("\0")) return undefined;
  const { rows } = await pool.query<ShipmentRow>(
    `select fields, items, source_details as "sourceDetails", import_id as "importId", updated_at as "updatedAt" from shipments
      where organisation_id = $1 and shipment_id = $2`,
    [organisationId, shipmentId],
  );
  return rows[0] && ledgerShipment(rows[0]);
}

/** The shipment with its fields as they were pushed. */
function ledgerShipment({ fields, items, sourceDetails, importId, updatedAt }: ShipmentRow): LedgerShipment {
  const pushed = fields as Record<string, unknown>;
  const { customFields } = pushed;
  return {
    ...givenFields(pushed, "shipment"),
    ...(customFields !== undefined && { customFields }),
    items: (items as Record<string, unknown>[]).map((item) => givenFields(item, "goodsLine")),
    sourceDetails,
    importId,
    updatedAt: updatedAt.toISOString(),
  };
}

/** How many of these shipments the ledger already has. */
export async function countExistingShipments(organisationId: string, ids: readonly string[], pool: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from shipments where organisation_id = $1 and shipment_id = any($2::text[])",
    [organisationId, ids],
  );
  return rows[0]?.count ?? 0;
}
