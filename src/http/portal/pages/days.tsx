// Days, months and times in the organisation's zone, as filters select them. A "wall" number is a wall-clock time in ms, counted as if the
// zone were UTC.
import { dateAt, dayAt, endOfDay, instantOf, isDay, wallAt, wallToInstant } from "../../../domain/imports/timestamp.js";
import { Rejection } from "../../../domain/rejection.js";
import type { SignedInVisit } from "../pageDefinition.js";
import { type Chip, Chips } from "../shell/chips.js";
import { dayFormat, dayInFull } from "../shell/formats.js";
import { Time } from "../shell/markup.js";

const dayMs = 86_400_000;
const earliestYear = 1900;

/** Reads the period that the address selects. Defaults to the current month. */
export function periodFromQuery(query: Readonly<Record<string, string>>, timezone: string, now: Date) {
  const { from = "", to = "", month = "" } = query;
  if (from === "" && to === "") return monthPeriod(month || today(timezone, now).slice(0, 7), timezone);
  const lastDay = to || ([from, today(timezone, now)].sort().at(-1) ?? "");
  const [first, last] = [parseWallDay(from || to, "From"), parseWallDay(lastDay, "To")];
  if (first > last) throw new Rejection("invalid", "From must not be after To");
  return period(first, last, timezone);
}

function monthPeriod(month: string, timezone: string) {
  const first = /^\d{4}-\d{2}$/.test(month) ? parseWallDay(`${month}-01`, "Month") : undefined;
  if (first === undefined) throw new Rejection("invalid", "Month must be a year and a month, such as 2026-03");
  return period(first, Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1, 0), timezone);
}

/** The period from the first to the last day, both included. `month`, such as `2026-03`, is set only if the period is a whole month. */
function period(first: number, last: number, timezone: string) {
  const [firstDay, lastDay] = [dayAtWall(first), dayAtWall(last)];
  const [from, to] = [first, last + dayMs].map((wall) => new Date(wallToInstant(wall, timezone))) as [Date, Date];
  const isMonth = firstDay.endsWith("-01") && lastDay.startsWith(firstDay.slice(0, 7)) && dayAtWall(last + dayMs).endsWith("-01");
  return { firstDay, lastDay, from, to, month: isMonth ? firstDay.slice(0, 7) : undefined };
}

/** Reads a day as the wall-clock time of its midnight. */
function parseWallDay(day: string, label: string): number {
  if (!isDay(day) || Number(day.slice(0, 4)) < earliestYear)
    throw new Rejection("invalid", `${label} must be a day of the calendar, such as 2026-03-01`);
  return Date.parse(`${day}T00:00:00Z`);
}

const dayAtWall = (wall: number): string => new Date(wall).toISOString().slice(0, 10);

export const today = (timezone: string, now: Date): string => dayAt(now.getTime(), timezone);

export const addDays = (day: string, days: number): string => dayAtWall(Date.parse(`${day}T00:00:00Z`) + days * dayMs);

export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

const monthOfDay = dayFormat({ month: "long", year: "numeric" });

export const monthInWords = (month: string): string => monthOfDay(`${month}-01`);

export function periodInWords({ firstDay, lastDay, month }: ReturnType<typeof period>): string {
  if (month) return monthInWords(month);
  return firstDay === lastDay ? dayInFull(firstDay) : `${dayInFull(firstDay)} to ${dayInFull(lastDay)}`;
}

export type LastDays = ReturnType<typeof lastDays>;

/** Today and the days before it in the organisation's zone, oldest first. `names` are like `2026-07-01`; `starts` are their midnights. */
export function lastDays(count: number, timezone: string, now: Date) {
  const last = Date.parse(`${today(timezone, now)}T00:00:00Z`);
  const wallDays = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * dayMs);
  const startOf = (wall: number) => new Date(wallToInstant(wall, timezone));
  return { names: wallDays.map(dayAtWall), starts: wallDays.map(startOf), end: startOf(last + dayMs) };
}

export const shortDayInWords = dayFormat({ weekday: "short", day: "numeric", month: "short" });

/** The end of a day in the organisation's zone: the midnight after it. Undefined if no day is given. */
export const parseDayEnd = (label: string, day: string | undefined, timezone: string) => parseDay(label, day, timezone, endOfDay);

function parseDay(label: string, day: string | undefined, timezone: string, read: typeof instantOf): Date | undefined {
  if (!day) return undefined;
  if (!isDay(day)) throw new Rejection("invalid", `${label} must be a day of the calendar, such as 2026-03-01`);
  return dateAt(read(day, timezone) ?? Number.NaN);
}

/** The filters of a list for a range of days. */
export const dayChips = (fromLabel = "From", toLabel = "To"): readonly Chip[] => [
  { name: "from", label: fromLabel, kind: "day" },
  { name: "to", label: toLabel, kind: "day" },
];

/** Reads the range of `dayChips` from the address: from the start of the first day to the end of the last. */
export function daysFromQuery({ query, person: { timezone } }: SignedInVisit, [first, last] = dayChips()) {
  const from = parseDay(first?.label ?? "", query["from"], timezone, instantOf);
  const to = parseDayEnd(last?.label ?? "", query["to"], timezone);
  if (from && to && from >= to) throw new Rejection("invalid", `${first?.label} must not be after ${last?.label}`);
  return { from, to };
}

/** Reads a time from the address. Without a zone it is in the organisation's zone. Undefined if no time is given. */
export function timeFromQuery({ query, person }: SignedInVisit, name = "asOf", label = "As of"): Date | undefined {
  const text = query[name]?.trim();
  return text ? parseTime(label, text, person.timezone) : undefined;
}

/** Reads a time from a form. Without a zone it is in the organisation's zone. */
export function parseTime(label: string, text: string, timezone: string): Date {
  const instant = instantOf(text, timezone);
  if (instant === undefined) throw new Rejection("invalid", `${label} must be a time, such as 2026-03-01T14:30`);
  return new Date(instant);
}

/** The filter for the time as of which the page shows its rows. `path`: the path of the page as it is now. */
export function AsOfForm({ visit, path, asOf }: { visit: SignedInVisit; path: string; asOf: Date | undefined }) {
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
