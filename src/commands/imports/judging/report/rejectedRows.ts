import { open } from "node:fs/promises";
import { comparableText, growingInts } from "../../../../domain/rows/compactLists.js";

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
  /** Undefined for an open row. */
  closedAs(place: number): ClosedState | undefined;
}

export const closedStates = ["corrected", "submitted", "dismissed", "superseded", "withdrawn"] as const;
export type ClosedState = (typeof closedStates)[number];

/** Reads lines of JSON: the row, its shipment's id or null, and its state or null for an open row; in row order. */
export async function readRejectedRows(path: string): Promise<RejectedRows> {
  const [rows, groups, states, lines] = [growingInts(), growingInts(), growingInts(), growingInts()];
  const groupOfHandle = new Map<string, number>();
  const file = await open(path);
  try {
    for await (const line of file.readLines()) {
      const [row, handle, state] = JSON.parse(line) as [number, string | null, ClosedState | null];
      const key = comparableText(handle ?? "");
      const group = key === "" ? -1 : (groupOfHandle.get(key) ?? groupOfHandle.size);
      rows.push(row);
      groups.push(group);
      states.push(state === null ? -1 : closedStates.indexOf(state));
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
    closedAs: (place) => closedStates[states.get(place)],
  };
}
