import { endOfDay, instantOf, isDay } from "../../domain/imports/timestamp.js";
import { Rejection } from "../../domain/rejection.js";

type Given = string | undefined;

/** When a day of a page's filter begins in the organisation's zone; undefined where none is given. */
export const dayStart = (label: string, day: Given, timezone: string) => instantIn(label, day, (given) => instantOf(given, timezone));

/** When the day after it begins. */
export const dayEnd = (label: string, day: Given, timezone: string) => instantIn(label, day, (given) => endOfDay(given, timezone));

function instantIn(label: string, day: Given, read: (day: string) => number | undefined): Date | undefined {
  if (!day) return undefined;
  if (!isDay(day)) throw new Rejection("invalid", `${label} must be a day of the calendar, such as 2026-03-01`);
  return new Date(read(day) ?? Number.NaN);
}
