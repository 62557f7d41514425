import { and, asc, eq, gt, gte, lte, type SQL } from "drizzle-orm";
import type { Pool } from "pg";
import { shipments } from "../projections/tables/ledgers.js";
import { readCursor, writeCursor } from "./cursor.js";
import { databaseOf } from "./database.js";
import { givenFields } from "./givenFields.js";
import { type Page, type PageRequest, readPage } from "./page.js";
import { beginsWith, conditionsOf, filterScope, isFiltered, type ShipmentFilter } from "./shipmentFilter.js";

type ShipmentRow = typeof shipments.$inferSelect;

export type LedgerShipment = Record<string, unknown>;

/**
 * In the order of ids, which no update changes: no shipment is repeated or skipped between pages. A filtered page may be short, or empty,
 * and still have another one after it.
 */
export function listShipments(
  organisationId: string,
  filter: ShipmentFilter,
  page: PageRequest,
  pool: Pool,
): Promise<Page<LedgerShipment>> {
  if (isFiltered(filter)) return listFiltered(organisationId, filter, page, pool);
  return readPage(
    page,
    ["shipments", organisationId],
    (after, count) =>
      databaseOf(pool)
        .select()
        .from(shipments)
        .where(and(eq(shipments.organisationId, organisationId), after?.[0] === undefined ? undefined : gt(shipments.shipmentId, after[0])))
        .orderBy(asc(shipments.shipmentId))
        .limit(count),
    { placeOf: ({ shipmentId }) => [shipmentId], itemOf: shown },
  );
}

/** So many shipments are looked at for a page, whatever the filter leaves of them. */
const lookedAt = 5_000;

async function listFiltered(
  organisationId: string,
  filter: ShipmentFilter,
  { cursor, limit, secret }: PageRequest,
  pool: Pool,
): Promise<Page<LedgerShipment>> {
  const scope = ["filtered shipments", organisationId, ...filterScope(filter)];
  const [after] = cursor === undefined ? [] : readCursor(secret, scope, cursor);
  const { shipmentIdPrefix } = filter;
  const begun = after === undefined ? shipmentIdPrefix && gte(shipments.shipmentId, shipmentIdPrefix) : gt(shipments.shipmentId, after);
  const select = (...conditions: (SQL | "" | undefined)[]) =>
    databaseOf(pool)
      .select()
      .from(shipments)
      .where(and(eq(shipments.organisationId, organisationId), ...conditions.map((each) => each || undefined)))
      .orderBy(asc(shipments.shipmentId));
  const [last] = await select(begun)
    .offset(lookedAt - 1)
    .limit(1);
  const window = [begun, last && lte(shipments.shipmentId, last.shipmentId)];
  const rows = await select(...window, ...conditionsOf(filter)).limit(limit + 1);
  const items = rows.slice(0, limit).map(shown);
  if (rows.length > limit) return { items, nextCursor: writeCursor(secret, scope, [rows[limit - 1]?.shipmentId ?? ""]) };
  // Ids that begin alike stand together: where none of the last ones did, none follows.
  const goesOn = last && (shipmentIdPrefix === undefined || (await select(...window, beginsWith(shipmentIdPrefix)).limit(1)).length > 0);
  return { items, nextCursor: goesOn ? writeCursor(secret, scope, [last.shipmentId]) : null };
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
function shown({ fields, items, sourceDetails, importId, updatedAt }: ShipmentRow): LedgerShipment {
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
