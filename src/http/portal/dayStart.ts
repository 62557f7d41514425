import { wallToInstant } from "../../domain/imports/timestamp.js";

const day = /^(\d{4})-(\d\d)-(\d\d)$/;

/** When a day begins in the organisation's zone; undefined for what is no day. */
export function dayStart(text: string | undefined, timezone: string, daysLater: number): Date | undefined {
  const [, year, month, date] = day.exec(text ?? "") ?? [];
  if (year === undefined) return undefined;
  return new Date(wallToInstant(Date.UTC(Number(year), Number(month) - 1, Number(date) + daysLater), timezone));
}
