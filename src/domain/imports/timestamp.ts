// ISO 8601 timestamps. A text with a zone is kept as it was sent; one without is wall time in the organisation's time zone.
const iso = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const firstWall = Date.UTC(1900, 0);

/** Whether it is a time of the years 1900 to 9999, by the calendar of the zone that it names or leaves open. */
export function isTimestamp(text: string): boolean {
  return (match(text)?.wall ?? Number.NEGATIVE_INFINITY) >= firstWall;
}

/** The year 1900 begins first at UTC+14. The year 9999 has to end in UTC too: events and tables have no years of five digits. */
const earliest = Date.UTC(1899, 11, 31, 10);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const isKept = (instant: number): boolean => instant >= earliest && instant <= latest;

/** Whether a row may have this time, in some time zone where it names none. */
export function isRowTime(text: string): boolean {
  const parts = match(text);
  return parts?.zone ? isKept(parts.wall - offsetOf(parts.zone)) : isTimestamp(text);
}

const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const otherForms = [/^\d{1,4}([/.\- ])\d{1,2}\1\d{1,4}(?:[T ,].*)?$/i, /^(?:19|20)\d{6}(?:T?\d{4,6}Z?)?$/i];
const namedMonth = new RegExp(`(?:^|[^a-z])(?:${months})(?:[^a-z]|$)`, "i");
const longestDate = 60;

/** Whether the text is a date that is not written as ISO 8601 has it: `6/10/2026`, `6 Oct 2026`, `20261006`. */
export function isOtherDateForm(text: string): boolean {
  if (text.length > longestDate || iso.test(text)) return false;
  return otherForms.some((form) => form.test(text)) || (/\d/.test(text) && namedMonth.test(text));
}

/** The text to record, or undefined when it names no instant that can be kept. Read again, in whichever zone, the text is the same. */
export function readTimestamp(text: string, timezone: string): string | undefined {
  if (!isRowTime(text)) return undefined;
  if (hasZone(text)) return text;
  const instant = instantOf(text, timezone) ?? Number.NaN;
  return isKept(instant) ? new Date(instant).toISOString() : undefined;
}

/** Milliseconds since 1970, also of a text that only an earlier version has recorded. */
export function instantOf(text: string, timezone: string): number | undefined {
  const parts = match(text);
  if (!parts) return undefined;
  return parts.zone ? parts.wall - offsetOf(parts.zone) : wallToInstant(parts.wall, timezone);
}

/** The instant as a Date. West of Greenwich the year 9999 ends in the year 10000, which neither an event nor a query can hold: cut to the latest. */
export const dateAt = (instant: number): Date => new Date(Math.min(instant, latest));

/** Whether a timestamp names its zone; a day never does. */
export const hasZone = (text: string): boolean => match(text)?.zone !== undefined;

/** Whether a timestamp is a whole day, such as `2026-03-31`. */
export const isDay = (text: string): boolean => text.length === "2026-03-31".length && isTimestamp(text);

/** When the day after it begins in the zone. */
export const endOfDay = (day: string, timezone: string): number => wallToInstant((match(day)?.wall ?? Number.NaN) + 86_400_000, timezone);

function match(text: string): { wall: number; zone: string | undefined } | undefined {
  const parts = iso.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((digits = "0") => Number(digits)) as Wall;
  const [fraction = "0", zone] = parts.slice(7) as [string?, string?];
  if (year < 1899 || hour > 23 || minute > 59 || second > 59) return undefined;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, Math.floor(Number(`0.${fraction}`) * 1000));
  if (new Date(wall).getUTCMonth() !== month - 1 || new Date(wall).getUTCDate() !== day) return undefined; // such as 30 February
  if (zone && Math.abs(offsetOf(zone)) > 14 * 3_600_000) return undefined;
  if (zone && zone.length > 3 && Number(zone.slice(-2)) > 59) return undefined;
  return { wall, zone };
}

type Wall = [year: number, month: number, day: number, hour: number, minute: number, second: number];

function offsetOf(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + (zone.length > 3 ? Number(zone.slice(-2)) : 0);
  return (zone[0] === "-" ? -1 : 1) * minutes * 60_000;
}

/** The date that calendars in the zone show at an instant. */
export const dayAt = (instant: number, timezone: string): string => wallAt(instant, timezone).slice(0, 10);

/** Date and time, to the second, that clocks in the zone show at an instant: `2026-03-31T14:30:00`. */
export const wallAt = (instant: number, timezone: string): string =>
  new Date(instant + offsetAt(instant, timezone)).toISOString().slice(0, 19);

/** The instant at which clocks in the zone show this wall time; the earlier one where they show it twice, the one shown instead where they skip it. */
export function wallToInstant(wall: number, timezone: string): number {
  const before = offsetAt(wall - 86_400_000, timezone);
  const after = offsetAt(wall + 86_400_000, timezone);
  const [early, late] = [wall - before, wall - after];
  return offsetAt(early, timezone) !== before && offsetAt(late, timezone) === after ? late : early;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();
const mostOffsets = 20_000;

/** Offsets change on quarter hours at the earliest, and are remembered, since asking for one takes as long as judging a row. */
function offsetAt(instant: number, timezone: string): number {
  const quarter = Math.floor(instant / 900_000) * 900_000;
  const key = `${timezone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const format = formats.get(timezone) ?? new Intl.DateTimeFormat("sv", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timezone, format);
  const [year = 0, month = 1, ...rest] = format.format(quarter).split(/[- :]/).map(Number);
  const offset = Date.UTC(year, month - 1, ...rest) - quarter;
  if (offsets.size >= mostOffsets) offsets.clear();
  offsets.set(key, offset);
  return offset;
}
