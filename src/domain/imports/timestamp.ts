// ISO 8601 timestamps. A text with a zone is kept as it was sent; one without is wall time in the organisation's time zone.
import { cacheResults } from "../cacheResults.js";

const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const earliestWall = Date.UTC(1900, 0);

/** Whether the text is a time in the years 1900 to 9999, by the calendar of its own zone. */
export function isTimestamp(text: string): boolean {
  return (match(text)?.wall ?? Number.NEGATIVE_INFINITY) >= earliestWall;
}

/** The year 1900 begins first at UTC+14. The year 9999 has to end in UTC too: events and tables have no years of five digits. */
const earliest = Date.UTC(1899, 11, 31, 10);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const isRecordable = (instant: number): boolean => instant >= earliest && instant <= latest;

/** Whether a row may have this time. A time without a zone must be possible in at least one zone. */
export function isRowTime(text: string): boolean {
  const parts = match(text);
  return parts?.zone ? isRecordable(parts.wall - offsetOf(parts.zone)) : isTimestamp(text);
}

const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const otherDatePatterns = [/^\d{1,4}([/.\- ])\d{1,2}\1\d{1,4}(?:[T ,].*)?$/i, /^(?:19|20)\d{6}(?:T?\d{4,6}Z?)?$/i];
const monthNamePattern = new RegExp(`(?:^|[^a-z])(?:${months})(?:[^a-z]|$)`, "i");
const maxOtherDateLength = 60;

/** Whether the text is a date in another form than ISO 8601: `6/10/2026`, `6 Oct 2026`, `20261006`. */
export function isOtherDateForm(text: string): boolean {
  if (text.length > maxOtherDateLength || iso.test(text)) return false;
  return otherDatePatterns.some((form) => form.test(text)) || (/\d/.test(text) && monthNamePattern.test(text));
}

/** The text to record; undefined if it names no instant that can be recorded. The result, read again in any zone, stays the same. */
export function readTimestamp(text: string, timezone: string): string | undefined {
  if (!isRowTime(text)) return undefined;
  if (hasZone(text)) return text;
  const instant = instantOf(text, timezone) ?? Number.NaN;
  return isRecordable(instant) ? new Date(instant).toISOString() : undefined;
}

/** The instant in milliseconds since 1970. Also accepts texts that only earlier versions have recorded. */
export function instantOf(text: string, timezone: string): number | undefined {
  const parts = match(text);
  if (!parts) return undefined;
  return parts.zone ? parts.wall - offsetOf(parts.zone) : wallToInstant(parts.wall, timezone);
}

/** The instant as a Date, at most the end of 9999 in UTC. West of Greenwich 9999 ends later, but events and queries end with it in UTC. */
export const dateAt = (instant: number): Date => new Date(Math.min(instant, latest));

/** Whether a timestamp names its zone; a day never does. */
export const hasZone = (text: string): boolean => match(text)?.zone !== undefined;

/** Whether a timestamp is a whole day, such as `2026-03-31`. */
export const isDay = (text: string): boolean => text.length === "2026-03-31".length && isTimestamp(text);

/** The instant at which the next day begins in the zone. */
export const endOfDay = (day: string, timezone: string): number => wallToInstant((match(day)?.wall ?? Number.NaN) + 86_400_000, timezone);

/** The last text and its parts: callers ask several questions about each row's timestamp, one after the other. */
let lastMatch: { readonly text: string; readonly parts: ReturnType<typeof parseParts> } = { text: "", parts: undefined };

function match(text: string): ReturnType<typeof parseParts> {
  if (text !== lastMatch.text) lastMatch = { text, parts: parseParts(text) };
  return lastMatch.parts;
}

/** Reads the parts at their fixed positions, without the cost of a list of matches: every activity has a timestamp. */
function parseParts(text: string): { wall: number; zone: string | undefined } | undefined {
  if (!iso.test(text)) return undefined;
  const hasClock = text.length > 10;
  const hasSeconds = text.charCodeAt(16) === 58;
  const year = readDigits(text, 0, 4);
  const month = readDigits(text, 5, 7);
  const day = readDigits(text, 8, 10);
  const hour = hasClock ? readDigits(text, 11, 13) : 0;
  const minute = hasClock ? readDigits(text, 14, 16) : 0;
  const second = hasSeconds ? readDigits(text, 17, 19) : 0;
  if (year < 1899 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const end = hasClock ? endOfClock(text) : text.length;
  const zone = end < text.length ? text.slice(end) : undefined;
  if (zone && Math.abs(offsetOf(zone)) > 14 * 3_600_000) return undefined;
  if (zone && zone.length > 3 && Number(zone.slice(-2)) > 59) return undefined;
  const fraction = hasSeconds && end > 19 ? Number(`0.${text.slice(20, end)}`) * 1000 : 0;
  return { wall: Date.UTC(year, month - 1, day, hour, minute, second, Math.floor(fraction)), zone };
}

function readDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}

/** Where the zone begins, if there is one. */
function endOfClock(text: string): number {
  let at = 16; // after hours and minutes
  while (at < text.length && isClockCharacter(text.charCodeAt(at))) at += 1;
  return at;
}

/** A digit, or one of `:.,`. */
const isClockCharacter = (code: number): boolean => (code >= 48 && code <= 58) || code === 46 || code === 44;

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

/** The instant at which clocks in the zone show this wall time: the earlier of two, and by the old offset if clocks skip it. */
export function wallToInstant(wall: number, timezone: string): number {
  const before = offsetAt(wall - 86_400_000, timezone);
  const after = offsetAt(wall + 86_400_000, timezone);
  const [early, late] = [wall - before, wall - after];
  return offsetAt(early, timezone) !== before && offsetAt(late, timezone) === after ? late : early;
}

const maxCachedZones = 1_000;
const maxCachedOffsets = 20_000;
/** Offsets change only on quarter hours. They are cached, since computing one takes as long as judging a row. */
const offsetAt = (instant: number, timezone: string): number => offsetsOf(timezone)(Math.floor(instant / 900_000) * 900_000);

const offsetsOf = cacheResults(maxCachedZones, (timeZone: string) => {
  const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return cacheResults(maxCachedOffsets, (quarter: number): number => {
    const [year = 0, month = 1, ...rest] = format.format(quarter).split(/[- :]/).map(Number);
    return Date.UTC(year, month - 1, ...rest) - quarter;
  });
});
