import { wallToInstant } from "../../../../domain/imports/timestamp.js";
import type { Days } from "../../../../queries/recentWork.js";
import { today } from "../activities/period.js";

export interface LastDays extends Days {
  /** Such as `2026-07-01`, the oldest first. */
  readonly names: readonly string[];
}

const dayMs = 86_400_000;

/** Today and the days before it, in the organisation's own time. */
export function lastDays(count: number, timezone: string, now: Date): LastDays {
  const last = Date.parse(`${today(timezone, now)}T00:00:00Z`);
  const walls = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * dayMs);
  const startOf = (wall: number) => new Date(wallToInstant(wall, timezone));
  return {
    names: walls.map((wall) => new Date(wall).toISOString().slice(0, 10)),
    starts: walls.map(startOf),
    end: startOf(last + dayMs),
  };
}

const words = new Intl.DateTimeFormat("en-AU", { timeZone: "UTC", weekday: "short", day: "numeric", month: "short" });

export const dayInWords = (day: string): string => (day === "" ? "" : words.format(new Date(`${day}T00:00:00Z`)));
