// Formats values for pages, CSV, XLSX and JSON: times in the organisation's zone, days without a zone, numbers with grouped digits.
import { wallAt } from "../../../domain/imports/timestamp.js";
import type { WallTime } from "../../../ports/spreadsheets.js";

/** A value of a column. A day is a calendar day without a zone, such as `2026-03-01`. */
export type Value = string | number | Date | { readonly decimal: string } | { readonly day: string } | null | undefined;

const timeFormats = new Map<string, Intl.DateTimeFormat>();

function timeFormat(timeZone: string, timeStyle: "short" | "medium"): Intl.DateTimeFormat {
  const name = `${timeZone} ${timeStyle}`;
  const format = timeFormats.get(name) ?? new Intl.DateTimeFormat("en-AU", { timeZone, dateStyle: "medium", timeStyle, hourCycle: "h23" });
  timeFormats.set(name, format);
  return format;
}

/** `18 Nov 2026, 09:30`. `exact` adds the seconds, for lists in which the order of events matters. */
export const timeInWords = (at: Date, timeZone: string, exact = false): string =>
  timeFormat(timeZone, exact ? "medium" : "short").format(at);

/** Returns a function that writes calendar days, such as `2026-11-18`, in words. */
export function dayFormat(options: Intl.DateTimeFormatOptions): (day: string) => string {
  const format = new Intl.DateTimeFormat("en-AU", { timeZone: "UTC", ...options });
  return (day) => format.format(new Date(`${day}T00:00:00Z`));
}

/** `18 Nov 2026`. */
export const dayInWords = dayFormat({ dateStyle: "medium" });

/** `18 November 2026`. */
export const dayInFull = dayFormat({ dateStyle: "long" });

/** The end of a period in words. Midnight is written as the end of the day before: `the end of 19 Dec 2026`. */
export function endInWords(at: Date, timeZone: string): string {
  const [day, clock] = wallAt(at.getTime() - 1, timeZone).split("T");
  return clock === "23:59:59" ? `the end of ${dayInWords(day ?? "")}` : timeInWords(at, timeZone);
}

/** A time that may have been entered as a day: midnight is written as the day alone. Empty for an invalid date. */
export function momentInWords(at: Date, timeZone: string): string {
  if (Number.isNaN(at.getTime())) return "";
  const [day = "", clock] = wallAt(at.getTime(), timeZone).split("T");
  return clock === "00:00:00" ? dayInWords(day) : timeInWords(at, timeZone);
}

const integerFormat = new Intl.NumberFormat("en-AU");

/** An exact number with separated thousands: `1,234.5`. */
export function groupDigits(number: number | string): string {
  const [whole = "", fraction] = String(number).split(".");
  return `${integerFormat.format(whole as Intl.StringNumericLiteral)}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** Shortens a text that is too long for a page. */
export const clipText = (text: string, maxLength = 200): string => (text.length > maxLength ? `${text.slice(0, maxLength)}...` : text);

/** `1 row`, `1,234 rows`. */
export const countInWords = (count: number, one: string, many = `${one}s`): string => `${groupDigits(count)} ${count === 1 ? one : many}`;

export function displayText(value: Exclude<Value, Date>): string {
  if (value === null || value === undefined || typeof value === "string") return value ?? "";
  if (typeof value === "number") return groupDigits(value);
  return "day" in value ? dayInWords(value.day) : groupDigits(value.decimal);
}

export const fractionDigits = (value: Value): number =>
  value && typeof value === "object" && "decimal" in value ? (value.decimal.split(".")[1]?.length ?? 0) : 0;

/** A value as CSV and XLSX files have it. */
export function fileValue(value: Value, timeZone: string): string | { readonly decimal: string } | WallTime {
  if (value === null || value === undefined || typeof value === "string") return value ?? "";
  if (typeof value === "number") return { decimal: String(value) };
  if (value instanceof Date) return { wallTime: wallAt(value.getTime(), timeZone) };
  return "day" in value ? { wallTime: value.day } : value;
}

/** A value as JSON has it: times with their zone, decimals as exact texts. */
export function jsonValue(value: Value): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  if (value instanceof Date) return value.toISOString();
  return "day" in value ? value.day : value.decimal;
}

/** Compares two values of one column, for sorting. */
export function compareValues(one: Value, other: Value): number {
  const [a, b] = [jsonValue(one), jsonValue(other)];
  if (fractionDigits(one) + fractionDigits(other) > 0 || (typeof a === "number" && typeof b === "number")) return Number(a) - Number(b);
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
