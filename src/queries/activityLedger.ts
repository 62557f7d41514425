import { and, asc, eq, getTableColumns, gte, type SQL, sql } from "drizzle-orm";
import type { Pool } from "pg";
import { imports } from "../projections/tables/imports.js";
import { activities } from "../projections/tables/ledgers.js";
import { databaseOf } from "./database.js";
import { type Page, type PageRequest, readPage } from "./page.js";

type ActivityRow = typeof activities.$inferSelect & { readonly importId: string };

export type LedgerActivity = Record<string, unknown>;

/** Those of completed imports, in the order they were pushed; of one import or of all. */
export function listActivities(
  organisationId: string,
  importId: string | undefined,
  page: PageRequest,
  pool: Pool,
): Promise<Page<LedgerActivity>> {
  return readPage(
    page,
    ["activities", organisationId, importId ?? ""],
    (after, count) =>
      databaseOf(pool)
        .select({ ...getTableColumns(activities), importId: imports.importId })
        .from(imports)
        .innerJoin(activities, eq(activities.importPosition, imports.position))
        .where(
          and(
            eq(imports.organisationId, organisationId),
            eq(imports.kind, "activities"),
            eq(imports.status, "completed"),
            importId === undefined ? undefined : eq(imports.importId, importId),
            behind(after),
          ),
        )
        .orderBy(asc(imports.position), asc(activities.row))
        .limit(count),
    { placeOf: ({ importPosition, row }) => [String(importPosition), String(row)], itemOf: shown },
  );
}

/** The first condition follows from the second; it lets the index on imports begin at the right place. */
function behind(after: readonly string[] | undefined): SQL | undefined {
  const [position, row] = after ?? [];
  if (position === undefined || row === undefined) return undefined;
  return and(
    gte(imports.position, BigInt(position)),
    sql`(${activities.importPosition}, ${activities.row}) > (${position}::bigint, ${row}::integer)`,
  );
}

function shown({ warehouseCode, chargeCode, quantity, activityTimestamp, customerId, reference, status, importId, row }: ActivityRow) {
  return {
    warehouseCode,
    chargeCode,
    quantity: Number(quantity),
    activityTimestamp,
    ...(customerId !== null && { customerId }),
    ...(reference !== null && { reference }),
    ...(status !== null && { status }),
    importId,
    row,
  };
}
