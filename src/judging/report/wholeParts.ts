import { createIntList, type IntList } from "../../domain/rows/compactLists.js";

interface JudgedRows {
  /** By ordinal: 0 for a row that is not to be sent, else the shipment it belongs to now, from 1; an activity is alone in its own. */
  readonly shipments: IntList;
  /** By ordinal: the shipment that it was sent for at first, from 0, or -1. */
  readonly groups: IntList;
  readonly groupCount: number;
}

export const notSent = -1;
export const partsAreFull = -2;
export const tooLargeForPart = -3;

/**
 * Divides the rows into parts of at most `most.rows` rows. Rows of one shipment, by the id they were sent with or by the id they have now, are
 * in one part. If one of them is not to be sent, none is. `partOf` has for each ordinal the part, from 0, or one of the three marks above: the row
 * is not to be sent, all parts are full, or its shipment has more rows than a part may have.
 */
export function wholeParts(
  { shipments, groups, groupCount }: JudgedRows,
  most: { rows: number; parts: number },
): { partOf: IntList; parts: number } {
  const rows = shipments.length;
  let shipmentCount = 0;
  for (let row = 0; row < rows; row += 1) shipmentCount = Math.max(shipmentCount, shipments.get(row));
  const parents = Int32Array.from({ length: groupCount + shipmentCount + 1 }, (_, node) => node);
  const rootOf = (node: number): number => {
    let root = node;
    while (parents[root] !== root) root = parents[root] ?? root;
    for (let each = node; each !== root; ) [each, parents[each]] = [parents[each] ?? root, root];
    return root;
  };
  const nodeOf = (row: number) => groupCount + shipments.get(row);
  for (let row = 0; row < rows; row += 1) {
    const group = groups.get(row);
    if (shipments.get(row) > 0 && group >= 0) parents[rootOf(nodeOf(row))] = rootOf(group);
  }
  const sizes = new Int32Array(parents.length);
  const spoilt = new Uint8Array(parents.length);
  for (let row = 0; row < rows; row += 1) {
    const group = groups.get(row);
    if (shipments.get(row) > 0) sizes[rootOf(nodeOf(row))] = (sizes[rootOf(nodeOf(row))] ?? 0) + 1;
    else if (group >= 0) spoilt[rootOf(group)] = 1;
  }
  return fill({ rows, rootOf: (row) => (shipments.get(row) > 0 ? rootOf(nodeOf(row)) : -1), sizes, spoilt }, most);
}

interface RowGroups {
  readonly rows: number;
  /** -1 for a row that is not to be sent. */
  readonly rootOf: (row: number) => number;
  readonly sizes: Int32Array;
  readonly spoilt: Uint8Array;
}

function fill({ rows, rootOf, sizes, spoilt }: RowGroups, most: { rows: number; parts: number }): { partOf: IntList; parts: number } {
  const partOf = createIntList();
  const placed = new Int32Array(sizes.length); // part + 1, one of the marks, or 0 if not looked at yet
  let [part, taken] = [0, 0];
  for (let row = 0; row < rows; row += 1) {
    const root = rootOf(row);
    if (root === -1 || spoilt[root]) {
      partOf.push(notSent);
      continue;
    }
    const size = sizes[root] ?? 0;
    if (size > most.rows) placed[root] = tooLargeForPart;
    else if (placed[root] === 0) {
      if (taken > 0 && taken + size > most.rows) [part, taken] = [part + 1, 0];
      const fits = part < most.parts;
      placed[root] = fits ? part + 1 : partsAreFull;
      if (fits) taken += size;
    }
    const mark = placed[root] ?? 0;
    partOf.push(mark < 0 ? mark : mark - 1);
  }
  return { partOf, parts: Math.min(most.parts, part + (taken > 0 ? 1 : 0)) };
}
