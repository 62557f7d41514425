// Days and times in the organisation's own zone: those of a filter, a month or from one day to another, the last ones, and the time as of which
// a page shows something.
import { dateAt, dayAt, endOfDay, instantOf, isDay, wallAt, wallToInstant } from "../../../domain/imports/timestamp.js";
import { Rejection } from "../../../domain/rejection.js";
import type { SignedInVisit } from "../pageDefinition.js";
import { type Chip, Chips } from "../shell/chips.js";
import { dayFormat, dayInFull } from "../shell/formats.js";
import { Time } from "../shell/parts.js";

const dayMs = 86_400_000;
const earliestYear = 1900;

/** From the page's address; this month where nothing is given. */
export function periodOf(query: Readonly<Record<string, string>>, timezone: string, now: Date) {
  const { from = "", to = "", month = "" } = query;
  if (from === "" && to === "") return monthPeriod(month || today(timezone, now).slice(0, 7), timezone);
  const lastDay = to || ([from, today(timezone, now)].sort().at(-1) ?? "");
  const [first, last] = [wallOf(from || to, "From"), wallOf(lastDay, "To")];
  if (first > last) throw new Rejection("invalid", "From must not be after To");
  return period(first, last, timezone);
}

function monthPeriod(month: string, timezone: string) {
  const first = /^\d{4}-\d{2}$/.test(month) ? wallOf(`${month}-01`, "Month") : undefined;
  if (first === undefined) throw new Rejection("invalid", "Month must be a year and a month, such as 2026-03");
  return period(first, Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1, 0), timezone);
}

/** From the first day to the last one, both included: days as a browser sends them, such as `2026-03-01`. `month`: `2026-03` if it is a whole one. */
function period(first: number, last: number, timezone: string) {
  const [firstDay, lastDay] = [dayOf(first), dayOf(last)];
  const [from, to] = [first, last + dayMs].map((wall) => new Date(wallToInstant(wall, timezone))) as [Date, Date];
  const isMonth = firstDay.endsWith("-01") && lastDay.startsWith(firstDay.slice(0, 7)) && dayOf(last + dayMs).endsWith("-01");
  return { firstDay, lastDay, from, to, month: isMonth ? firstDay.slice(0, 7) : undefined };
}

/** Midnight of the day, as if the zone were UTC. */
function wallOf(day: string, label: string): number {
  if (!isDay(day) || Number(day.slice(0, 4)) < earliestYear)
    throw new Rejection("invalid", `${label} must be a day of the calendar, such as 2026-03-01`);
  return Date.parse(`${day}T00:00:00Z`);
}

const dayOf = (wall: number): string => new Date(wall).toISOString().slice(0, 10);

export const today = (timezone: string, now: Date): string => dayAt(now.getTime(), timezone);

export const dayAfter = (day: string, days: number): string => dayOf(Date.parse(`${day}T00:00:00Z`) + days * dayMs);

export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

const monthOfDay = dayFormat({ month: "long", year: "numeric" });

export const monthInWords = (month: string): string => monthOfDay(`${month}-01`);

export function periodWords({ firstDay, lastDay, month }: ReturnType<typeof period>): string {
  if (month) return monthInWords(month);
  return firstDay === lastDay ? dayInFull(firstDay) : `${dayInFull(firstDay)} to ${dayInFull(lastDay)}`;
}

export type LastDays = ReturnType<typeof lastDays>;

/** Today and the days before it, in the organisation's own time: the oldest first, with names such as `2026-07-01`. */
export function lastDays(count: number, timezone: string, now: Date) {
  const last = Date.parse(`${today(timezone, now)}T00:00:00Z`);
  const walls = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * dayMs);
  const startOf = (wall: number) => new Date(wallToInstant(wall, timezone));
  return { names: walls.map(dayOf), starts: walls.map(startOf), end: startOf(last + dayMs) };
}

export const shortDayInWords = dayFormat({ weekday: "short", day: "numeric", month: "short" });

/** When the day after it begins, in the organisation's zone; undefined where none is given. */
export const dayEnd = (label: string, day: string | undefined, timezone: string) => instantIn(label, day, timezone, endOfDay);

function instantIn(label: string, day: string | undefined, timezone: string, read: typeof instantOf): Date | undefined {
  if (!day) return undefined;
  if (!isDay(day)) throw new Rejection("invalid", `${label} must be a day of the calendar, such as 2026-03-01`);
  return dateAt(read(day, timezone) ?? Number.NaN);
}

/** The filter of a list by days. */
export const dayChips = (fromLabel = "From", toLabel = "To"): readonly Chip[] => [
  { name: "from", label: fromLabel, kind: "day" },
  { name: "to", label: toLabel, kind: "day" },
];

/** The times between which those days lie. */
export function daysIn({ query, person: { timezone } }: SignedInVisit, [first, last] = dayChips()) {
  const from = instantIn(first?.label ?? "", query["from"], timezone, instantOf);
  const to = dayEnd(last?.label ?? "", query["to"], timezone);
  if (from && to && from >= to) throw new Rejection("invalid", `${first?.label} must not be after ${last?.label}`);
  return { from, to };
}

/** A time without a zone is the organisation's own. Undefined: none is given. */
export function timeIn({ query, person }: SignedInVisit, name = "asOf", label = "As of"): Date | undefined {
  const text = query[name]?.trim();
  return text ? timeOf(label, text, person.timezone) : undefined;
}

/** A time as a form has it, in the organisation's own zone. */
export function timeOf(label: string, text: string, timezone: string): Date {
  const instant = instantOf(text, timezone);
  if (instant === undefined) throw new Rejection("invalid", `${label} must be a time, such as 2026-03-01T14:30`);
  return new Date(instant);
}

/** `path`: of the page as it is now. */
export function AsOf({ visit, path, asOf }: { visit: SignedInVisit; path: string; asOf: Date | undefined }) {
  const value = asOf && wallAt(asOf.getTime(), visit.person.timezone);
  return (
    <>
      <Chips path={path} chips={[{ name: "asOf", label: "As of", kind: "time", value }]} all="Show it now" />
      {asOf === undefined ? null : (
        <p class="muted">
          As it was on <Time at={asOf} exact />
        </p>
      )}
    </>
  );
}
