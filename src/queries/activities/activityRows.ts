// The rows behind totals: group by group, by half hour, then as they were pushed. Each total has the numbers of its rows, so a page reads
// only the rows that it shows, however many others there are.
import { fieldsOf } from "../../domain/imports/fields.js";
import { instantOf } from "../../domain/imports/timestamp.js";
import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type ActivityFilter, filterValues, halfHoursOf, ofGroupSql, passesSql } from "./activityFilter.js";

/** The place of a row in the list: its total, and which of the total's rows it is, from 1. */
export interface ActivityKey {
  readonly customerId: string;
  readonly warehouseCode: string;
  readonly chargeCode: string;
  readonly halfHour: string;
  readonly importPosition: string;
  readonly ordinal: number;
}

export interface FoundActivity extends ActivityKey {
  readonly importId: string;
  /** The import's reference. */
  readonly sourceDetails: string;
  readonly row: number;
  /** The row's values, by field name. */
  readonly values: Readonly<Record<string, unknown>>;
}

interface Entry extends Omit<ActivityKey, "ordinal"> {
  readonly rowCount: number;
}

/** Up to `count` rows after a place. Fewer than that are the last ones. */
export async function findActivities(
  organisationId: string,
  filter: ActivityFilter,
  { after, count }: { readonly after: ActivityKey | undefined; readonly count: number },
  database: Database,
): Promise<FoundActivity[]> {
  const cut = new Set(halfHoursOf(filter).cut.map((time) => time.getTime()));
  const found: FoundActivity[] = [];
  for (let place = after; ; ) {
    const slices = slicesOf(await entriesFrom(organisationId, filter, place, count + 1, database), place, count);
    const rows = await rowsOf(organisationId, slices, database);
    found.push(...rows.filter((row) => !cut.has(Date.parse(row.halfHour)) || isInTimeRange(row, filter)));
    place = rows.at(-1);
    if (place === undefined || found.length >= count) return found.slice(0, count);
  }
}

export const isInTimeRange = ({ values }: Pick<FoundActivity, "values">, { from, to }: ActivityFilter): boolean => {
  const at = instantOf(String(values["activityTimestamp"]), "UTC") ?? Number.NaN;
  return (from === undefined || at >= from.getTime()) && (to === undefined || at < to.getTime());
};

/** The columns of a total's key, in the order of the list. */
const keyNames = ["customerId", "warehouseCode", "chargeCode", "halfHour", "importPosition"] as const;

const key = "customer_id, warehouse_code, charge_code";
const begun = "(:afterCustomer::text, :afterWarehouse::text, :afterCharge::text)";
/** The group in which the last page ended. */
const isBegun = `(:afterCustomer::text is not null and (g.customer_id, g.warehouse_code, g.charge_code) = ${begun})`;
const columns = `t.customer_id, t.warehouse_code, t.charge_code, t.half_hour, t.import_position, t.row_count`;

/** Goes from group to group in their order until there are enough entries. A sort of all entries would read the first ones of every group. */
const byGroup = `
  select hours.* from
    (select customer_id, warehouse_code, charge_code, organisation_id from activity_groups as g
      where ${passesSql("g")} and (:afterCustomer::text is null or (g.customer_id, g.warehouse_code, g.charge_code) >= ${begun})
      order by ${key} offset 0) as g cross join lateral
    (select ${columns} from activity_totals as t
      where ${ofGroupSql} and t.half_hour < :end
        and t.half_hour >= case when ${isBegun} then :afterHalfHour::timestamptz else :first::timestamptz end
        and (not ${isBegun} or (t.half_hour, t.import_position) >= (:afterHalfHour::timestamptz, :afterPosition::bigint))
      order by t.half_hour, t.import_position limit :count) as hours
   limit :count`;

const ofImport = `
  select ${columns} from activity_totals as t join imports as i on i.position = t.import_position
   where i.import_id = :importId and i.organisation_id = :organisationId and ${passesSql("t")} and t.half_hour >= :first and t.half_hour < :end
     and (:afterCustomer::text is null or (t.customer_id, t.warehouse_code, t.charge_code, t.half_hour, t.import_position)
          >= (:afterCustomer::text, :afterWarehouse::text, :afterCharge::text, :afterHalfHour::timestamptz, :afterPosition::bigint))
   order by ${key}, half_hour, import_position limit :count`;

const shownEntry = (entries: string) => `
  select customer_id as "customerId", warehouse_code as "warehouseCode", charge_code as "chargeCode", ${isoTime("half_hour")} as "halfHour",
         import_position::text as "importPosition", row_count as "rowCount"
    from (${entries}) as entries order by ${key}, entries.half_hour, entries.import_position`;

function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

async function entriesFrom(
  organisationId: string,
  filter: ActivityFilter,
  place: ActivityKey | undefined,
  count: number,
  database: Database,
): Promise<Entry[]> {
  const after = {
    afterCustomer: place?.customerId ?? null,
    afterWarehouse: place?.warehouseCode ?? null,
    afterCharge: place?.chargeCode ?? null,
    afterHalfHour: place?.halfHour ?? null,
    afterPosition: place?.importPosition ?? null,
  };
  const statement = shownEntry(filter.importId === undefined ? byGroup : ofImport);
  const { rows } = await database.query<Entry>(named(statement, { ...filterValues(organisationId, filter), ...after, count }));
  return rows;
}

interface Slice extends Entry {
  readonly from: number;
  readonly until: number;
}

/** The part of each entry that the page needs, `count` rows in all. */
function slicesOf(entries: readonly Entry[], place: ActivityKey | undefined, count: number): Slice[] {
  const slices: Slice[] = [];
  let left = count;
  for (const entry of entries) {
    const from = place && isSame(entry, place) ? place.ordinal + 1 : 1;
    const until = Math.min(entry.rowCount, from + left - 1);
    if (until >= from) slices.push({ ...entry, from, until });
    left -= Math.max(0, until - from + 1);
    if (left === 0) break;
  }
  return slices;
}

const isSame = (entry: Entry, place: ActivityKey): boolean => keyNames.every((name) => entry[name] === place[name]);

const fields = fieldsOf("activity");
const fieldColumns = fields.map(({ name, ledgerColumn }) => `a.${ledgerColumn} as "${name}"`).join(", ");

/** `limit 1` keeps the planner to one look-up for each total and each row. */
const sliced = `
  select s.slice, s.from_ordinal + n.ordinality - 1 as ordinal, i.import_id as "importId", i.source_details as "sourceDetails", a."row", ${fieldColumns}
    from unnest(:customerId::text[], :warehouseCode::text[], :chargeCode::text[], :halfHour::timestamptz[], :importPosition::bigint[], :from::int[], :until::int[]) with ordinality
         as s (customer_id, warehouse_code, charge_code, half_hour, import_position, from_ordinal, until_ordinal, slice)
   cross join lateral
         (select row_numbers[s.from_ordinal:s.until_ordinal] as row_numbers from activity_totals as t
           where t.organisation_id = :organisationId and t.customer_id = s.customer_id and t.warehouse_code = s.warehouse_code
             and t.charge_code = s.charge_code and t.half_hour = s.half_hour and t.import_position = s.import_position limit 1) as t
   cross join lateral (select import_id, source_details from imports where position = s.import_position and organisation_id = :organisationId limit 1) as i
   cross join unnest(t.row_numbers) with ordinality as n (number)
   cross join lateral (select * from activities where import_position = s.import_position and "row" = n.number limit 1) as a
   order by s.slice, n.ordinality`;

async function rowsOf(organisationId: string, slices: readonly Slice[], database: Database): Promise<FoundActivity[]> {
  if (slices.length === 0) return [];
  const bySlice = Object.fromEntries(([...keyNames, "from", "until"] as const).map((name) => [name, slices.map((slice) => slice[name])]));
  const { rows } = await database.query<
    Record<string, unknown> & { slice: string; ordinal: string; importId: string; sourceDetails: string; row: number }
  >(named(sliced, { organisationId, ...bySlice }));
  return rows.flatMap(({ slice, ordinal, importId, sourceDetails, row, ...values }) => {
    const entry = slices[Number(slice) - 1];
    return entry ? [{ ...entry, ordinal: Number(ordinal), importId, sourceDetails, row, values }] : [];
  });
}
