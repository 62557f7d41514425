// ISO 8601 timestamps. A text with a zone is kept as it was sent; one without is wall time in the organisation's time zone.
import { cacheResults } from "../cacheResults.js";

const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const firstWall = Date.UTC(1900, 0);

/** Whether it is a time of the years 1900 to 9999, by the calendar of the zone that it names or leaves open. */
export function isTimestamp(text: string): boolean {
  return (match(text)?.wall ?? Number.NEGATIVE_INFINITY) >= firstWall;
}

/** The year 1900 begins first at UTC+14. The year 9999 has to end in UTC too: events and tables have no years of five digits. */
const earliest = Date.UTC(1899, 11, 31, 10);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const isKept = (instant: number): boolean => instant >= earliest && instant <= latest;

/** Whether a row may have this time; without a zone, in at least one. */
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

/** The text to record, or undefined when it names no instant that can be kept. The result, read again in any zone, stays the same. */
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

/** The last text and its parts: of each row's timestamp several things are asked, one after the other. */
let last: { readonly text: string; readonly parts: ReturnType<typeof partsOf> } = { text: "", parts: undefined };

function match(text: string): ReturnType<typeof partsOf> {
  if (text !== last.text) last = { text, parts: partsOf(text) };
  return last.parts;
}

/** Every activity has a timestamp, so its parts are read where the pattern has them, without a list of matches. */
function partsOf(text: string): { wall: number; zone: string | undefined } | undefined {
  if (!iso.test(text)) return undefined;
  const hasClock = text.length > 10;
  const hasSeconds = text.charCodeAt(16) === 58;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = hasClock ? digits(text, 11, 13) : 0;
  const minute = hasClock ? digits(text, 14, 16) : 0;
  const second = hasSeconds ? digits(text, 17, 19) : 0;
  if (year < 1899 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const end = hasClock ? endOfClock(text) : text.length;
  const zone = end < text.length ? text.slice(end) : undefined;
  if (zone && Math.abs(offsetOf(zone)) > 14 * 3_600_000) return undefined;
  if (zone && zone.length > 3 && Number(zone.slice(-2)) > 59) return undefined;
  const fraction = hasSeconds && end > 19 ? Number(`0.${text.slice(20, end)}`) * 1000 : 0;
  return { wall: Date.UTC(year, month - 1, day, hour, minute, second, Math.floor(fraction)), zone };
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}

/** Where the zone begins, if there is one. */
function endOfClock(text: string): number {
  let at = 16; // after hours and minutes
  while (at < text.length && isClock(text.charCodeAt(at))) at += 1;
  return at;
}

/** A digit, or one of `:.,`. */
const isClock = (code: number): boolean => (code >= 48 && code <= 58) || code === 46 || code === 44;

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

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

/** The instant at which clocks in the zone show this wall time: the earlier of two; where they skip it, the one that the old offset gives. */
export function wallToInstant(wall: number, timezone: string): number {
  const before = offsetAt(wall - 86_400_000, timezone);
  const after = offsetAt(wall + 86_400_000, timezone);
  const [early, late] = [wall - before, wall - after];
  return offsetAt(early, timezone) !== before && offsetAt(late, timezone) === after ? late : early;
}

const mostZones = 1_000;
const mostOffsets = 20_000;
/** Offsets change only on quarter hours, and are remembered, since asking for one takes as long as judging a row. */
const offsetAt = (instant: number, timezone: string): number => offsetsOf(timezone)(Math.floor(instant / 900_000) * 900_000);

const offsetsOf = cacheResults(mostZones, (timeZone: string) => {
  const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return cacheResults(mostOffsets, (quarter: number): number => {
    const [year = 0, month = 1, ...rest] = format.format(quarter).split(/[- :]/).map(Number);
    return Date.UTC(year, month - 1, ...rest) - quarter;
  });
});
