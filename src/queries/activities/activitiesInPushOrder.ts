// The ledger in the order of the pushes, whatever the filter: the activities that count, or also those that do not (reversed ones, and those in
// whose place a correction counts), or only unusual ones, or those of
// one reference. At most some thousand rows are looked at for a page, so a filtered page may be short, or
// empty, and have another one after it.
import { fieldsOf } from "../../domain/imports/fields.js";
import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { instantSql, longestKey, referenceKey } from "../../projections/tables/activities.js";
import { type PageRequest, type RowPage, readCursor, writeCursor } from "../rowPage.js";
import { type ActivityFilter, filterScope, isFiltered } from "./activityFilter.js";

export const reversedChoices = ["include", "only"] as const;

export interface ListedActivities {
  readonly reversed: (typeof reversedChoices)[number] | "leaveOut";
  readonly unusualOnly: boolean;
  readonly reference?: string | undefined;
}

export interface ActivityState {
  readonly reversed: { readonly at: string; readonly reason: string; readonly reversalId: string } | null;
  /** The row that counts in its place. */
  readonly replacedBy: { readonly importId: string; readonly row: number } | null;
}

export interface ActivityWithState extends ActivityState {
  readonly importId: string;
  readonly row: number;
  /** By field name. */
  readonly values: Readonly<Record<string, unknown>>;
}

interface WalkedRow extends Record<string, unknown>, ActivityState {
  readonly position: string;
  readonly importId: string;
  readonly row: number;
  readonly fits: boolean;
}

const lookedAt = 5_000;

export async function listInPushOrder(
  organisationId: string,
  filter: ActivityFilter,
  { reversed, unusualOnly, reference }: ListedActivities,
  { limit, cursor, secret }: PageRequest,
  pool: Database,
): Promise<RowPage<ActivityWithState>> {
  const scope = ["activities in push order", unusualOnly ? `unusual ${reversed}` : reversed, organisationId, ...filterScope(filter)];
  if (reference !== undefined) scope.push(`=${reference}`);
  const [position = null, row = null] = cursor === undefined ? [] : readCursor(secret, scope, cursor);
  const { importId = null, customerId = null, warehouseCode = null, chargeCode = null, from = null, to = null } = filter;
  const count = reversed === "only" || isFiltered(filter) ? lookedAt : limit + 1;
  const given = { organisationId, importId, position, row, customerId, warehouseCode, chargeCode, from, to, count, reference };
  const { rows } = await pool.query<WalkedRow>(named(walkedSql(reversed, unusualOnly, reference !== undefined), given));
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
  const { rows } = await pool.query<WalkedRow>(oneSql, [organisationId, importId, row]);
  return rows[0] && activityWithState(rows[0]);
}

const activityWithState = ({ position: _, fits: __, importId, row, reversed, replacedBy, ...values }: WalkedRow): ActivityWithState => ({
  importId,
  row,
  reversed,
  replacedBy,
  values,
});

const fieldColumns = fieldsOf("activity")
  .map(({ name, ledgerColumn }) => `a.${ledgerColumn} as "${name}"`)
  .join(", ");

const stateColumns = `
  ${fieldColumns}, a."row", i.import_id as "importId", i.position::text as position,
  (select json_build_object('at', to_char(r.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', r.reason, 'reversalId', r.reversal_id)
     from reversals r where r.position = coalesce(u.reversed_position, whole.reversed_position)) as reversed,
  (select json_build_object('importId', other.import_id, 'row', u.replaced_by_row) from imports other where other.position = u.replaced_by_position)
    as "replacedBy"`;

const joinStates = (activity: string) => `
  left join uncounted_activities u on u.import_position = ${activity}.import_position and u."row" = ${activity}."row"
  left join uncounted_imports whole on whole.import_position = ${activity}.import_position`;

const isReversed = "coalesce(u.reversed_position, whole.reversed_position) is not null";
const instant = instantSql("a.activity_timestamp");

const unusualRowsSql = `
  (select number from jsonb_array_elements(i.unusual -> 'kinds') as kinds (kind)
    cross join lateral jsonb_array_elements(kind -> 'rows') as ranges (range)
    cross join lateral generate_series((range ->> 0)::integer, (range ->> 1)::integer) as numbers (number))`;

/** `offset 0` keeps the planner to the index of references: for the order of the rows it would read the whole import. */
const sameReference = `(
  select * from activities where import_position = i.position and ${referenceKey("reference")} = ${referenceKey(":reference::text")}
     and reference = :reference offset 0)`;

/** Import by import, and of each at most what one page looks at. Imports of which nothing is reversed are left out where only that is listed. */
function walkedSql(reversed: ListedActivities["reversed"], unusualOnly: boolean, ofReference: boolean): string {
  const ofImport = [
    reversed === "only" ? "and exists (select from reversals r where r.import_position = i.position)" : "",
    reversed === "leaveOut" ? "and not exists (select from uncounted_imports u where u.import_position = i.position)" : "",
    unusualOnly ? "and i.unusual is not null" : "",
  ].join(" ");
  const ofRow = [
    reversed === "leaveOut"
      ? 'and not exists (select from uncounted_activities u where u.import_position = a.import_position and u."row" = a."row")'
      : "",
    unusualOnly ? `and a."row" in ${unusualRowsSql}` : "",
  ].join(" ");
  return `
  select ${stateColumns}, ${reversed === "only" ? isReversed : "true"}
         and (:customerId::text is null or left(coalesce(a.customer_id, ''), ${longestKey}) = :customerId) and (:warehouseCode::text is null or left(a.warehouse_code, ${longestKey}) = :warehouseCode)
         and (:chargeCode::text is null or left(a.charge_code, ${longestKey}) = :chargeCode)
         and (:from::timestamptz is null or ${instant} >= :from) and (:to::timestamptz is null or ${instant} < :to) as fits
    from (select i.position, i.import_id, i.unusual from imports i
           where i.organisation_id = :organisationId and i.kind = 'activities' and i.status = 'completed' and (:importId::uuid is null or i.import_id = :importId)
             and (:position::bigint is null or i.position >= :position) ${ofImport}
           order by i.position offset 0) as i
   cross join lateral (
     select * from ${ofReference ? sameReference : "activities"} a where a.import_position = i.position and (i.position <> coalesce(:position::bigint, -1) or a."row" > :row::integer) ${ofRow}
      order by a."row" limit :count) as a
   ${joinStates("a")}
   order by i.position, a."row" limit :count`;
}

const oneSql = `
  select ${stateColumns}, true as fits from imports i join activities a on a.import_position = i.position and a."row" = $3 ${joinStates("a")}
   where i.organisation_id = $1 and i.import_id = $2 and i.status = 'completed'`;
