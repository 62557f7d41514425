import { dayOf } from "../../domain/imports/unusual.js";
import { type ActivityContent, readContent } from "../../domain/rows/activityContent.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { field } from "../copyRows.js";
import type { ImportFacts } from "../sortedBatch.js";

const content: ActivityContent = { low: 0, high: 0, instant: 0 };

/** Lines of `activity_contents` for neighbouring rows of an import: one for each day. */
export function contentLines({ organisationId, position }: ImportFacts, rows: readonly RowAccepted[]): string {
  const days = new Map<number, number[]>();
  for (const { row, values } of rows) {
    if (!readContent(values, content)) continue;
    const day = dayOf(content.instant);
    const own = days.get(day);
    if (own) own.push(row, content.low, content.high);
    else days.set(day, [row, content.low, content.high]);
  }
  let lines = "";
  for (const [day, numbers] of days) {
    const count = numbers.length / 3;
    const [lows, rest] = [Buffer.allocUnsafe(count * 4), Buffer.allocUnsafe(count * 8)];
    for (let at = 0; at < count; at += 1) {
      const [row = 0, low = 0, high = 0] = [numbers[at * 3], numbers[at * 3 + 1], numbers[at * 3 + 2]];
      lows.writeInt32LE(low, at * 4);
      rest.writeInt32LE(high, at * 8);
      rest.writeInt32LE(row, at * 8 + 4);
    }
    lines += `${field(organisationId)}\t${day}\t${position}\t${numbers[0]}\t\\\\x${lows.toString("hex")}\t\\\\x${rest.toString("hex")}\n`;
  }
  return lines;
}
