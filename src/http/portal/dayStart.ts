import { isDay, wallToInstant } from "../../domain/imports/timestamp.js";
import { Rejection } from "../../domain/rejection.js";

/** When a day of a page's filter begins in the organisation's zone; undefined where none is given. */
export function dayStart(label: string, text: string | undefined, timezone: string, daysLater: number): Date | undefined {
  if (!text) return undefined;
  if (!isDay(text)) throw new Rejection("invalid", `${label} must be a day of the calendar, such as 2026-03-01`);
  const [year = 0, month = 1, date = 1] = text.split("-").map(Number);
  return new Date(wallToInstant(Date.UTC(year, month - 1, date + daysLater), timezone));
}
