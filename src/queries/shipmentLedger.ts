import { and, asc, eq, gt } from "drizzle-orm";
import type { Pool } from "pg";
import { shipments } from "../projections/tables/ledgers.js";
import { databaseOf } from "./database.js";
import { givenFields } from "./givenFields.js";
import { type Page, type PageRequest, readPage } from "./page.js";

type ShipmentRow = typeof shipments.$inferSelect;

export type LedgerShipment = Record<string, unknown>;

/** In the order of ids, which no update changes: no shipment is repeated or skipped between pages. */
export function listShipments(organisationId: string, page: PageRequest, pool: Pool): Promise<Page<LedgerShipment>> {
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
