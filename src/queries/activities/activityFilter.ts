import { halfHourMs } from "../../projections/tables/ledgers.js";

/** Which activities are meant. All that is given has to hold. */
export interface ActivityFilter {
  readonly importId?: string | undefined;
  /** Empty: the activities that name no customer. */
  readonly customerId?: string | undefined;
  readonly warehouseCode?: string | undefined;
  readonly chargeCode?: string | undefined;
  /** Included. */
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
}

/** Whether the filter has a condition besides the import. */
export const isFiltered = ({ customerId, warehouseCode, chargeCode, from, to }: ActivityFilter): boolean =>
  [customerId, warehouseCode, chargeCode, from, to].some((given) => given !== undefined);

/** For cursors: a cursor belongs to one filter. */
export const filterScope = ({ importId, customerId, warehouseCode, chargeCode, from, to }: ActivityFilter): string[] => [
  importId ?? "",
  ...[customerId, warehouseCode, chargeCode].map((text) => (text === undefined ? "" : `=${text}`)),
  ...[from, to].map((time) => time?.toISOString() ?? ""),
];

const startOf = (time: Date) => new Date(Math.floor(time.getTime() / halfHourMs) * halfHourMs);
const isStart = (time: Date) => time.getTime() % halfHourMs === 0;

/** The half hours that a range touches, from `first` to before `end`. `cut` are those that lie in the range only in part. */
export function halfHoursOf({ from, to }: ActivityFilter): { first: Date | undefined; end: Date | undefined; cut: Date[] } {
  const first = from && startOf(from);
  const last = to && startOf(to);
  const end = to && last && (isStart(to) ? to : new Date(last.getTime() + halfHourMs));
  const cut = [...(from && !isStart(from) ? [startOf(from)] : []), ...(to && last && !isStart(to) ? [last] : [])];
  return { first, end, cut: cut.filter((time, index) => index === 0 || time.getTime() !== cut[0]?.getTime()) };
}
