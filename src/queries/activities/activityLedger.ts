import type { Pool } from "pg";
import { givenFields } from "../givenFields.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import { listInPushOrder } from "./activitiesInPushOrder.js";
import { type ActivityFilter, filterScope, isFiltered } from "./activityFilter.js";
import { type FoundActivity, findActivities } from "./activityRows.js";

export type LedgerActivity = Record<string, unknown>;

/**
 * The activities of completed imports that count: all, or those of an import, in the order of the pushes. Filtered by anything else they come by
 * customer, warehouse, charge code and half hour.
 */
export async function listActivities(
  organisationId: string,
  filter: ActivityFilter,
  page: PageRequest,
  pool: Pool,
): Promise<Page<LedgerActivity>> {
  const { items, nextCursor } = isFiltered(filter)
    ? await pageOfActivities(organisationId, filter, page, pool)
    : await listInPushOrder(organisationId, filter, { reversed: "leaveOut", unusualOnly: false }, page, pool);
  return { items: items.map(({ values, importId, row }) => ({ ...givenFields(values, "activity"), importId, row })), nextCursor };
}

/** The pages of a filtered list, with the place of each row. */
export function pageOfActivities(
  organisationId: string,
  filter: ActivityFilter,
  page: PageRequest,
  pool: Pool,
): Promise<Page<FoundActivity>> {
  return readPage(
    page,
    ["filtered activities", organisationId, ...filterScope(filter)],
    (after, count) => findActivities(organisationId, filter, { after: after && placeOf(after), count }, pool),
    {
      placeOf: ({ customerId, warehouseCode, chargeCode, halfHour, importPosition, ordinal }) => [
        customerId,
        warehouseCode,
        chargeCode,
        halfHour,
        importPosition,
        String(ordinal),
      ],
      itemOf: (row) => row,
    },
  );
}

function placeOf([customerId = "", warehouseCode = "", chargeCode = "", halfHour = "", importPosition = "", ordinal]: readonly string[]) {
  return { customerId, warehouseCode, chargeCode, halfHour, importPosition, ordinal: Number(ordinal) };
}
