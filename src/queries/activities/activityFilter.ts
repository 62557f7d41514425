import { halfHourMs } from "../../projections/tables/activities.js";
import { type TimeRange, timeScope } from "../rowPage.js";

/** Which activities are looked for. All that is given has to hold. */
export interface ActivityFilter extends TimeRange {
  readonly importId?: string | undefined;
  /** Empty: the activities that name no customer. */
  readonly customerId?: string | undefined;
  readonly warehouseCode?: string | undefined;
  readonly chargeCode?: string | undefined;
}

/** Whether the filter has a condition besides the import. */
export const isFiltered = ({ customerId, warehouseCode, chargeCode, from, to }: ActivityFilter): boolean =>
  [customerId, warehouseCode, chargeCode, from, to].some((given) => given !== undefined);

/** For cursors: a cursor belongs to one filter. */
export const filterScope = ({ importId, customerId, warehouseCode, chargeCode, ...range }: ActivityFilter): string[] => [
  importId ?? "",
  ...[customerId, warehouseCode, chargeCode].map((text) => (text === undefined ? "" : `=${text}`)),
  ...timeScope(range),
];

/** SQL for the groups that pass the filter. Its values are those of `filterValues`. */
export const passesSql = (
  table: string,
): string => `${table}.organisation_id = :organisationId and (:customerId::text is null or ${table}.customer_id = :customerId)
  and (:warehouseCode::text is null or ${table}.warehouse_code = :warehouseCode) and (:chargeCode::text is null or ${table}.charge_code = :chargeCode)`;

/** SQL for the totals `t` of a group `g`. */
export const ofGroupSql = `t.organisation_id = g.organisation_id and t.customer_id = g.customer_id and t.warehouse_code = g.warehouse_code
  and t.charge_code = g.charge_code`;

/** `first` and `end` are of whole half hours; `cut` are those that lie between `from` and `to` only in part. */
export function filterValues(organisationId: string, filter: ActivityFilter) {
  const { importId = null, customerId = null, warehouseCode = null, chargeCode = null, from, to } = filter;
  const first = from ? startOf(from) : "-infinity";
  const end = to ? new Date(Math.ceil(to.getTime() / halfHourMs) * halfHourMs) : "infinity";
  const cut = [from, to].flatMap((time) => (time && time.getTime() % halfHourMs !== 0 ? startOf(time).getTime() : []));
  const halfHours = { first, end, cut: [...new Set(cut)].map((time) => new Date(time)) };
  return { organisationId, importId, customerId, warehouseCode, chargeCode, ...halfHours, from: from ?? "-infinity", to: to ?? "infinity" };
}

const startOf = (time: Date) => new Date(Math.floor(time.getTime() / halfHourMs) * halfHourMs);

/** The tables whose rows make totals: those of now. As of an earlier time: those of the imports that had ended by then, less the changes since. */
export function sourcesOf(asKnown: boolean): { table: string; sign: string; also: string }[] {
  if (!asKnown) return [{ table: "activity_totals", sign: "", also: "" }];
  const ended = "and exists (select from imports i where i.position = t.import_position and i.finished_at <= :asOf::timestamptz)";
  return [
    { table: "activity_totals", sign: "", also: ended },
    { table: "activity_changes", sign: "-", also: `${ended} and t.changed_at > :asOf::timestamptz` },
  ];
}
