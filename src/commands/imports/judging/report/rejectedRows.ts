import { open } from "node:fs/promises";
import { comparableText, growingInts, keptReasons } from "../../../../domain/rows/compactLists.js";

/** The rejected rows of the import that a report is of, in little memory. A place is a row's number among them, from 0. */
export interface RejectedRows {
  readonly count: number;
  /** -1 for the number of a row that was not rejected. */
  placeOf(row: number): number;
  /** The shipment that it was sent for, from 0; -1 where it has none. */
  groupOf(place: number): number;
  readonly groups: number;
  /** How many rejected rows the shipment has. */
  linesOf(group: number): number;
  whyNotOpen(place: number): string | undefined;
}

/** Reads lines of JSON: the row, its shipment's id or null, and why it is not open or null; in row order. */
export async function readRejectedRows(path: string): Promise<RejectedRows> {
  const [rows, groups, whys, lines] = [growingInts(), growingInts(), growingInts(), growingInts()];
  const groupOfHandle = new Map<string, number>();
  const reasons = keptReasons();
  const file = await open(path);
  try {
    for await (const line of file.readLines()) {
      const [row, handle, why] = JSON.parse(line) as [number, string | null, string | null];
      const key = comparableText(handle ?? "");
      const group = key === "" ? -1 : (groupOfHandle.get(key) ?? groupOfHandle.size);
      rows.push(row);
      groups.push(group);
      whys.push(why === null ? 0 : (reasons.numberOf({ reason: why, faults: [] }) ?? notKept));
      if (group === lines.length) {
        groupOfHandle.set(key, group);
        lines.push(1);
      } else if (group >= 0) lines.set(group, lines.get(group) + 1);
    }
  } finally {
    await file.close();
  }
  return {
    count: rows.length,
    placeOf(row) {
      let [from, to] = [0, rows.length];
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (rows.get(middle) < row) from = middle + 1;
        else to = middle;
      }
      return from < rows.length && rows.get(from) === row ? from : -1;
    },
    groupOf: (place) => groups.get(place),
    groups: lines.length,
    linesOf: (group) => lines.get(group),
    whyNotOpen: (place) =>
      whys.get(place) === 0 ? undefined : whys.get(place) === notKept ? "The row is not open" : reasons.get(whys.get(place)).reason,
  };
}

const notKept = -1;
