// Every activity that passes a filter, for files: read by one statement, whose plan goes from total to total in their order and so begins at once.
import type { Pool } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { named } from "../../namedSql.js";
import { instantSql } from "../../projections/tables/activities.js";
import { type CopiedLines, copiedLines } from "../copiedLines.js";
import { type ActivityFilter, filterValues, ofGroupSql, passesSql } from "./activityFilter.js";

/**
 * In the order of a filtered list, some at a time, all from one snapshot of the ledger: an import that completes meanwhile is not in it. A row
 * has the fields in their order, then the import's id and the row's number.
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
    const values = filterValues(organisationId, filter);
    const entries = filter.importId === undefined ? byGroup : ofImport;
    yield* copiedLines(client, named(rowsSql(entries), values), release);
    await client.query("rollback");
    release();
  } finally {
    release(new Error("the rows were given up")); // closes the connection, unless all rows were taken
  }
}

const columns = "t.customer_id, t.warehouse_code, t.charge_code, t.half_hour, t.import_position, t.row_count, t.row_numbers";
const inHours = "t.half_hour >= :first and t.half_hour < :end";

/** `offset 0` keeps the planner to one look-up per group, so that other months cost nothing. */
const byGroup = `
  select t.* from
    (select * from activity_groups as g where ${passesSql("g")} order by customer_id, warehouse_code, charge_code offset 0) as g
   cross join lateral
    (select ${columns} from activity_totals as t where ${ofGroupSql} and ${inHours} order by t.half_hour, t.import_position offset 0) as t`;

const ofImport = `
  select ${columns} from activity_totals as t join imports as i on i.position = t.import_position
   where i.import_id = :importId and i.organisation_id = :organisationId and ${passesSql("t")} and ${inHours}
   order by t.customer_id, t.warehouse_code, t.charge_code, t.half_hour, t.import_position offset 0`;

const instant = instantSql("a.activity_timestamp");
const isCut = "t.half_hour = any(:cut::timestamptz[])";
/** Of the half hours that lie in the range only in part, the rows have to be looked at. */
const rowsOfEach = `select a.* from activities as a
   where a.import_position = t.import_position and a."row" = any(t.row_numbers)
     and case when ${isCut} then ${instant} >= :from::timestamptz and ${instant} < :to::timestamptz else true end
   order by a."row" offset 0`;

const fields = fieldsOf("activity");
const texts = fields.map(({ ledgerColumn }) => `a.${ledgerColumn}`).join(", ");

const rowsSql = (entries: string) => `
  select ${texts}, i.import_id, a."row" from (${entries}) as t
   cross join lateral (select import_id from imports where position = t.import_position and organisation_id = :organisationId limit 1) as i
   cross join lateral (${rowsOfEach}) as a`;
