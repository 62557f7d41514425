import { and, asc, eq, gte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Pool } from "pg";
import { activities, uncountedActivities, uncountedImports } from "../../projections/tables/activities.js";
import { imports } from "../../projections/tables/imports.js";
import { databaseOf } from "../database.js";
import { givenFields } from "../givenFields.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import { type ActivityFilter, filterScope, isFiltered } from "./activityFilter.js";
import { type FoundActivity, findActivities } from "./activityRows.js";

type ActivityRow = typeof activities.$inferSelect & { readonly importId: string };

export type LedgerActivity = Record<string, unknown>;

/**
 * The activities of completed imports that count: all, or those of an import, in the order of the pushes. Filtered by anything else they come by
 * customer, warehouse, charge code and half hour.
 */
export function listActivities(
  organisationId: string,
  filter: ActivityFilter,
  page: PageRequest,
  pool: Pool,
): Promise<Page<LedgerActivity>> {
  if (isFiltered(filter)) return listFiltered(organisationId, filter, page, pool);
  const { importId } = filter;
  const listed = and(
    eq(imports.organisationId, organisationId),
    eq(imports.kind, "activities"),
    eq(imports.status, "completed"),
    importId === undefined ? undefined : eq(imports.importId, importId),
  );
  return readPage(page, ["activities", organisationId, importId ?? ""], (after, count) => rowsBehind(listed, after, count, pool), {
    placeOf: ({ importPosition, row }) => [String(importPosition), String(row)],
    itemOf: shown,
  });
}

async function listFiltered(organisationId: string, filter: ActivityFilter, page: PageRequest, pool: Pool): Promise<Page<LedgerActivity>> {
  const { items, nextCursor } = await pageOfActivities(organisationId, filter, page, pool);
  return { items: items.map(({ values, importId, row }) => shown({ ...values, importId, row })), nextCursor };
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

/** Reversed and replaced activities are not listed. */
const notIn = (uncounted: typeof uncountedActivities | typeof uncountedImports, position: SQLWrapper, also?: SQL) =>
  sql`not exists (select from ${uncounted} where ${and(sql`${uncounted.importPosition} = ${position}`, also)})`;

/** Reads import by import, at most a page of each: with a plain join the planner sorts millions of rows for one page. */
function rowsBehind(listed: SQL | undefined, after: readonly string[] | undefined, count: number, pool: Pool): Promise<ActivityRow[]> {
  const [position, row] = after ?? [];
  const begun = position !== undefined && row !== undefined;
  const database = databaseOf(pool);
  const inOrder = database
    .select({ importId: imports.importId, position: imports.position })
    .from(imports)
    .where(and(listed, notIn(uncountedImports, imports.position), begun ? gte(imports.position, BigInt(position)) : undefined))
    .orderBy(asc(imports.position))
    .as("in_order");
  const rowsOfEach = database
    .select()
    .from(activities)
    .where(
      and(
        eq(activities.importPosition, inOrder.position),
        notIn(uncountedActivities, activities.importPosition, eq(uncountedActivities.row, activities.row)),
        begun ? sql`(${activities.importPosition}, ${activities.row}) > (${position}::bigint, ${row}::integer)` : undefined,
      ),
    )
    .orderBy(asc(activities.importPosition), asc(activities.row))
    .limit(count)
    .as("rows_of_each");
  return database
    .select()
    .from(inOrder)
    .crossJoinLateral(rowsOfEach)
    .orderBy(asc(inOrder.position), asc(rowsOfEach.row))
    .limit(count)
    .then((found) => found.map(({ rows_of_each: row, in_order: { importId } }) => ({ ...row, importId })));
}

function shown({ importId, row, ...values }: LedgerActivity): LedgerActivity {
  return { ...givenFields(values, "activity"), importId, row };
}
