import type { Pool } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { named } from "../../namedSql.js";
import { type CopiedLines, copiedLines } from "../copiedLines.js";
import { type ActivityFilter, filterValues } from "./activityFilter.js";
import { placeValues, rowsSql } from "./activityRows.js";

const fileColumns = [...fieldsOf("activity").map(({ ledgerColumn }) => `a.${ledgerColumn}`), "i.import_id", 'a."row"'].join(", ");

/**
 * Every activity that passes the filter, for files: in the order of its pages, some at a time, all from one snapshot of the ledger, so that an
 * import that completes meanwhile is not in it. A row has the fields in their order, then the import's id and the row's number.
 * Holds a connection until the rows end or are given up (`return`), or until nobody has taken the next ones for a minute: the rows fail then.
 */
export async function* allActivities(organisationId: string, filter: ActivityFilter, pool: Pool): AsyncGenerator<CopiedLines> {
  const client = await pool.connect();
  let isHeld = true;
  const release = (broken?: Error) => {
    if (isHeld) client.release(broken);
    isHeld = false;
  };
  try {
    // No look-up is ever repeated, so remembering them only costs.
    await client.query("begin isolation level repeatable read read only; set local enable_memoize = off");
    const values = { ...filterValues(organisationId, filter), ...placeValues([]), totals: null, count: null };
    yield* copiedLines(client, named(rowsSql(filter, fileColumns), values), release);
    await client.query("rollback");
    release();
  } finally {
    release(new Error("the rows were given up")); // closes the connection, unless all rows were taken
  }
}
