import { halfHourMs } from "../../projections/tables/activities.js";
import { type TimeRange, timeScope } from "../rowPage.js";

/** Selects activities that meet every given condition. */
export interface ActivityFilter extends TimeRange {
  readonly importId?: string | undefined;
  /** An empty text selects the activities that name no customer. */
  readonly customerId?: string | undefined;
  readonly warehouseCode?: string | undefined;
  readonly chargeCode?: string | undefined;
}

/** Whether the filter has a condition besides the import. */
export const isFiltered = ({ customerId, warehouseCode, chargeCode, from, to }: ActivityFilter): boolean =>
  [customerId, warehouseCode, chargeCode, from, to].some((value) => value !== undefined);

/** The filter as a part of a cursor's scope. */
export const activityScope = ({ importId, customerId, warehouseCode, chargeCode, ...range }: ActivityFilter): string[] => [
  importId ?? "",
  ...[customerId, warehouseCode, chargeCode].map((text) => (text === undefined ? "" : `=${text}`)),
  ...timeScope(range),
];

/** SQL for whether a group passes the filter, apart from its import and times. `filterValues` has the values. */
export const passesSql = (
  table: string,
): string => `${table}.organisation_id = :organisationId and (:customerId::text is null or ${table}.customer_id = :customerId)
  and (:warehouseCode::text is null or ${table}.warehouse_code = :warehouseCode) and (:chargeCode::text is null or ${table}.charge_code = :chargeCode)`;

/** SQL for whether total `t` belongs to group `g`. */
export const isOfGroupSql = `t.organisation_id = g.organisation_id and t.customer_id = g.customer_id and t.warehouse_code = g.warehouse_code
  and t.charge_code = g.charge_code`;

/** `first` and `end` extend the range to whole half hours. `cut` has those half hours that lie only partly between `from` and `to`. */
export function filterValues(organisationId: string, filter: ActivityFilter) {
  const { importId = null, customerId = null, warehouseCode = null, chargeCode = null, from, to } = filter;
  const first = from ? halfHourOf(from) : "-infinity";
  const end = to ? new Date(Math.ceil(to.getTime() / halfHourMs) * halfHourMs) : "infinity";
  const cut = [from, to].flatMap((time) => (time && time.getTime() % halfHourMs !== 0 ? halfHourOf(time).getTime() : []));
  const halfHours = { first, end, cut: [...new Set(cut)].map((time) => new Date(time)) };
  return { organisationId, importId, customerId, warehouseCode, chargeCode, ...halfHours, from: from ?? "-infinity", to: to ?? "infinity" };
}

const halfHourOf = (time: Date) => new Date(Math.floor(time.getTime() / halfHourMs) * halfHourMs);

/** The tables whose sums are the totals. As of an earlier time: the totals of imports that had ended by then, less the later changes. */
export function totalSources(isAsOf: boolean): { table: string; sign: string; condition: string }[] {
  if (!isAsOf) return [{ table: "activity_totals", sign: "", condition: "" }];
  const endedSql = "and exists (select from imports i where i.position = t.import_position and i.finished_at <= :asOf::timestamptz)";
  return [
    { table: "activity_totals", sign: "", condition: endedSql },
    { table: "activity_changes", sign: "-", condition: `${endedSql} and t.changed_at > :asOf::timestamptz` },
  ];
}
