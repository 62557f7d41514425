import { and, eq, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Pool } from "pg";
import type { Database } from "../../ports/database.js";
import { shipments } from "../../projections/tables/shipments.js";
import { databaseOf } from "../database.js";
import { givenFields } from "../givenFields.js";
import { type Page, type PageRequest, readCursor, writeCursor } from "../page.js";
import { conditionsOf, filterScope, type ShipmentFilter } from "./shipmentFilter.js";
import { chooseWalk } from "./shipmentWalk.js";

type ShipmentRow = typeof shipments.$inferSelect;

export type LedgerShipment = Record<string, unknown>;

/** How many shipments are read for a page, however few of them pass the filter. */
const lookedAt = 5_000;

const dialect = new PgDialect();

interface WalkedRow extends Pick<ShipmentRow, "shipmentId" | "fields" | "items" | "sourceDetails" | "importId" | "updatedAt"> {
  readonly place: readonly string[];
}

/**
 * In the order of ids, which no update changes: no shipment is repeated or skipped between pages. What is asked for by reference or by time
 * alone comes by import, the last ended first. A filtered page may be short, or empty, and still have another one after it.
 */
export async function listShipments(
  organisationId: string,
  filter: ShipmentFilter,
  { cursor, limit, secret }: PageRequest,
  pool: Pool,
): Promise<Page<LedgerShipment>> {
  const query = async <Row extends object>(statement: SQL): Promise<Row[]> => {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    return (await pool.query<Row>(text, params)).rows;
  };
  const walk = chooseWalk(organisationId, filter);
  const scope = ["shipments", walk.name, organisationId, ...filterScope(filter)];
  const after = cursor === undefined ? undefined : readCursor(secret, scope, cursor);
  // A walk that applies the whole filter need not look at more than the page.
  const count = walk.isWhole ? limit + 1 : lookedAt;
  const window = walk.next(after, count);
  const fits = sql.join([sql`true`, ...conditionsOf(filter)], sql` and `);
  const rows = await query<WalkedRow>(sql`select * from (${window}) as walked where ${fits} order by n limit ${limit + 1}`);
  const items = rows.slice(0, limit).map(shown);
  const cursorAt = (place: readonly string[] | undefined) => (place ? writeCursor(secret, scope, place) : null);
  if (rows.length > limit) return { items, nextCursor: cursorAt(rows[limit - 1]?.place) };
  const [last] = walk.isWhole ? [] : await query<{ place: string[] }>(sql`select place from (${window}) as walked where n = ${count}`);
  const [cut] = last || !walk.cut ? [last] : await query<{ place: string[] }>(walk.cut(after));
  return { items, nextCursor: cursorAt(cut?.place) };
}

export async function findShipment(organisationId: string, shipmentId: string, pool: Pool): Promise<LedgerShipment | undefined> {
  if (shipmentId.includes("\0")) return undefined;
  const [row] = await databaseOf(pool)
    .select()
    .from(shipments)
    .where(and(eq(shipments.organisationId, organisationId), eq(shipments.shipmentId, shipmentId)));
  return row && shown(row);
}

/** The fields as pushed. */
function shown({ fields, items, sourceDetails, importId, updatedAt }: Omit<WalkedRow, "place">): LedgerShipment {
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

/** How many of these shipments the ledger has already. */
export async function existingShipments(organisationId: string, ids: readonly string[], pool: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from shipments where organisation_id = $1 and shipment_id = any($2::text[])",
    [organisationId, ids],
  );
  return rows[0]?.count ?? 0;
}
