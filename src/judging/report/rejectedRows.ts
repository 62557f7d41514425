import { open } from "node:fs/promises";
import { firstIndex } from "../../domain/ranges.js";
import { comparableText, createInt32List } from "../../domain/rows/compactLists.js";

/** The rejected rows of a report's import, in little memory. An `index` counts these rows from 0. */
export type RejectedRows = Awaited<ReturnType<typeof readRejectedRows>>;

export const closedStates = ["corrected", "submitted", "dismissed", "superseded", "withdrawn"] as const;
export type ClosedState = (typeof closedStates)[number];

/** Reads lines of JSON in row order: the row's number, its shipment's id or null, its state (null for an open row), its element or null. */
export async function readRejectedRows(path: string) {
  const [rows, groups, states] = [createInt32List(), createInt32List(), createInt32List()];
  const [sizes, elements] = [createInt32List(), createInt32List()];
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
    /** The index of the row with this number; -1 for a row that was not rejected. */
    indexOf(row: number): number {
      const index = firstIndex(rows.length, (middle) => rows.get(middle) >= row);
      return index < rows.length && rows.get(index) === row ? index : -1;
    },
    /** The number, from 0, of the shipment or of the JSON push's element that the row was sent for; -1 for none. */
    groupOf: groups.get,
    /** The element that a row comes from; undefined where the import's rows do not come from a JSON push of shipments. */
    elementOf: elements.length === rows.length ? elements.get : undefined,
    groupCount: sizes.length,
    /** How many rejected rows the shipment or element with this number has. */
    sizeOf: sizes.get,
    /** Undefined for an open row. */
    closedStateOf: (index: number): ClosedState | undefined => closedStates[states.get(index)],
  };
}
