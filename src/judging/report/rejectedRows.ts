import { open } from "node:fs/promises";
import { firstIndex } from "../../domain/ranges.js";
import { comparableText, createIntList } from "../../domain/rows/compactLists.js";

/** The rejected rows of the import that a report is of, in little memory. `index` counts them from 0. */
export type RejectedRows = Awaited<ReturnType<typeof readRejectedRows>>;

export const closedStates = ["corrected", "submitted", "dismissed", "superseded", "withdrawn"] as const;
export type ClosedState = (typeof closedStates)[number];

/** Reads lines of JSON: the row, its shipment's id or null, its state or null for an open row, and its element or null; in row order. */
export async function readRejectedRows(path: string) {
  const [rows, groups, states, sizes, elements] = [createIntList(), createIntList(), createIntList(), createIntList(), createIntList()];
  const groupOfKey = new Map<string | number, number>();
  const file = await open(path);
  try {
    for await (const line of file.readLines()) {
      const [row, handle, state, element] = JSON.parse(line) as [number, string | null, ClosedState | null, number | null];
      const key = element ?? comparableText(handle ?? "");
      const group = key === "" ? -1 : (groupOfKey.get(key) ?? groupOfKey.size);
      rows.push(row);
      groups.push(group);
      if (element !== null) elements.push(element);
      states.push(state === null ? -1 : closedStates.indexOf(state));
      if (group === sizes.length) {
        groupOfKey.set(key, group);
        sizes.push(1);
      } else if (group >= 0) sizes.set(group, sizes.get(group) + 1);
    }
  } finally {
    await file.close();
  }
  return {
    count: rows.length,
    /** -1 for the number of a row that was not rejected. */
    indexOf(row: number): number {
      const index = firstIndex(rows.length, (middle) => rows.get(middle) >= row);
      return index < rows.length && rows.get(index) === row ? index : -1;
    },
    /** The shipment, or the element of a JSON push, that it was sent for, from 0; -1 where it has none. */
    groupOf: groups.get,
    /** The element that it goes back to; undefined where the import's rows do not go back to a JSON push of shipments. */
    elementOf: elements.length === rows.length ? elements.get : undefined,
    groups: sizes.length,
    /** How many rejected rows the group has. */
    sizeOf: sizes.get,
    /** Undefined for an open row. */
    closedAs: (index: number): ClosedState | undefined => closedStates[states.get(index)],
  };
}
