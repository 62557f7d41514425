// Lists activities in the order of the pushes: those that count, or also reversed and replaced ones, or only unusual ones, or those with one
// reference (`PushOrderFilter`). An `ActivityFilter` may narrow the list. A page reads at most some thousand rows, so a filtered page may be
// short or empty and still have a next page.
import { fieldsOf } from "../../domain/imports/fields.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { instantSql, maxCodeLength, referenceKeySql } from "../../projections/tables/activities.js";
import { type PageRequest, type RowPage, readCursor, writeCursor } from "../rowPage.js";
import { type ActivityFilter, activityScope, isFiltered } from "./activityFilter.js";

export const reversedChoices = ["include", "only"] as const;

export interface PushOrderFilter {
  /** `leaveOut`: only activities that count. `include`: all activities. `only`: only reversed ones. */
  readonly reversed: (typeof reversedChoices)[number] | "leaveOut";
  readonly unusualOnly: boolean;
  readonly reference?: string | undefined;
}

export interface ActivityState {
  readonly reversed: { readonly at: string; readonly reason: string; readonly reversalId: string } | null;
  /** The row that counts instead of this one. */
  readonly replacedBy: { readonly importId: string; readonly row: number } | null;
}

export interface ActivityWithState extends ActivityState {
  readonly importId: string;
  readonly row: number;
  /** The activity's values, by field name. */
  readonly values: Readonly<Record<string, unknown>>;
}

interface PushOrderRow extends Record<string, unknown>, ActivityState {
  readonly position: string;
  readonly importId: string;
  readonly row: number;
  /** Whether the row passes the filter. */
  readonly fits: boolean;
}

const maxRowsRead = 5_000;

export async function listInPushOrder(
  organisationId: string,
  filter: ActivityFilter,
  { reversed, unusualOnly, reference }: PushOrderFilter,
  { limit, cursor, secret }: PageRequest,
  pool: Database,
): Promise<RowPage<ActivityWithState>> {
  const scope = ["activities in push order", unusualOnly ? `unusual ${reversed}` : reversed, organisationId, ...activityScope(filter)];
  if (reference !== undefined) scope.push(`=${reference}`);
  const [position = null, row = null] = cursor === undefined ? [] : readCursor(secret, scope, cursor);
  const { importId = null, customerId = null, warehouseCode = null, chargeCode = null, from = null, to = null } = filter;
  const count = reversed === "only" || isFiltered(filter) ? maxRowsRead : limit + 1;
  const values = { organisationId, importId, position, row, customerId, warehouseCode, chargeCode, from, to, count, reference };
  const { rows } = await pool.query<PushOrderRow>(bindNames(pushOrderSql(reversed, unusualOnly, reference !== undefined), values));
  const fitting = rows.filter(({ fits }) => fits);
  const shown = fitting.slice(0, limit);
  const last = fitting.length > limit ? shown.at(-1) : rows.length === count ? rows.at(-1) : undefined;
  return { items: shown.map(activityWithState), nextCursor: last ? writeCursor(secret, scope, [last.position, String(last.row)]) : null };
}

/** One activity; undefined unless a completed import of the organisation recorded it. */
export async function findActivity(
  organisationId: string,
  { importId, row }: { readonly importId: string; readonly row: number },
  pool: Database,
): Promise<ActivityWithState | undefined> {
  const { rows } = await pool.query<PushOrderRow>(activitySql, [organisationId, importId, row]);
  return rows[0] && activityWithState(rows[0]);
}

const activityWithState = ({ position: _, fits: __, importId, row, reversed, replacedBy, ...values }: PushOrderRow): ActivityWithState => ({
  importId,
  row,
  reversed,
  replacedBy,
  values,
});

const fieldColumns = fieldsOf("activity")
  .map(({ name, ledgerColumn }) => `a.${ledgerColumn} as "${name}"`)
  .join(", ");

const activityColumnsSql = `
  ${fieldColumns}, a."row", i.import_id as "importId", i.position::text as position,
  (select json_build_object('at', to_char(r.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', r.reason, 'reversalId', r.reversal_id)
     from reversals r where r.position = coalesce(u.reversed_position, whole.reversed_position)) as reversed,
  (select json_build_object('importId', other.import_id, 'row', u.replaced_by_row) from imports other where other.position = u.replaced_by_position)
    as "replacedBy"`;

const joinStatesSql = (activity: string) => `
  left join uncounted_activities u on u.import_position = ${activity}.import_position and u."row" = ${activity}."row"
  left join uncounted_imports whole on whole.import_position = ${activity}.import_position`;

const isReversedSql = "coalesce(u.reversed_position, whole.reversed_position) is not null";
const instantOfRowSql = instantSql("a.activity_timestamp");

const unusualRowsSql = `
  (select number from jsonb_array_elements(i.unusual -> 'kinds') as kinds (kind)
    cross join lateral jsonb_array_elements(kind -> 'rows') as ranges (range)
    cross join lateral generate_series((range ->> 0)::integer, (range ->> 1)::integer) as numbers (number))`;

/** `offset 0` keeps the planner to the index of references. To get the rows in order, it would otherwise read the whole import. */
const sameReferenceSql = `(
  select * from activities where import_position = i.position and ${referenceKeySql("reference")} = ${referenceKeySql(":reference::text")}
     and reference = :reference offset 0)`;

/** Goes import by import and reads from each at most what one page may read. For reversed rows it skips imports without a reversal. */
function pushOrderSql(reversed: PushOrderFilter["reversed"], unusualOnly: boolean, hasReference: boolean): string {
  const importConditions = [
    reversed === "only" ? "and exists (select from reversals r where r.import_position = i.position)" : "",
    reversed === "leaveOut" ? "and not exists (select from uncounted_imports u where u.import_position = i.position)" : "",
    unusualOnly ? "and i.unusual is not null" : "",
  ].join(" ");
  const rowConditions = [
    reversed === "leaveOut"
      ? 'and not exists (select from uncounted_activities u where u.import_position = a.import_position and u."row" = a."row")'
      : "",
    unusualOnly ? `and a."row" in ${unusualRowsSql}` : "",
  ].join(" ");
  return `
  select ${activityColumnsSql}, ${reversed === "only" ? isReversedSql : "true"}
         and (:customerId::text is null or left(coalesce(a.customer_id, ''), ${maxCodeLength}) = :customerId) and (:warehouseCode::text is null or left(a.warehouse_code, ${maxCodeLength}) = :warehouseCode)
         and (:chargeCode::text is null or left(a.charge_code, ${maxCodeLength}) = :chargeCode)
         and (:from::timestamptz is null or ${instantOfRowSql} >= :from) and (:to::timestamptz is null or ${instantOfRowSql} < :to) as fits
    from (select i.position, i.import_id, i.unusual from imports i
           where i.organisation_id = :organisationId and i.kind = 'activities' and i.status = 'completed' and (:importId::uuid is null or i.import_id = :importId)
             and (:position::bigint is null or i.position >= :position) ${importConditions}
           order by i.position offset 0) as i
   cross join lateral (
     select * from ${hasReference ? sameReferenceSql : "activities"} a where a.import_position = i.position and (i.position <> coalesce(:position::bigint, -1) or a."row" > :row::integer) ${rowConditions}
      order by a."row" limit :count) as a
   ${joinStatesSql("a")}
   order by i.position, a."row" limit :count`;
}

const activitySql = `
  select ${activityColumnsSql}, true as fits from imports i join activities a on a.import_position = i.position and a."row" = $3 ${joinStatesSql("a")}
   where i.organisation_id = $1 and i.import_id = $2 and i.status = 'completed'`;
