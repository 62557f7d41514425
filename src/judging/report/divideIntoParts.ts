// Divides the rows of a corrected error report into parts. Each part becomes an import, so its number of rows is limited.
import { createInt32List, type NumberList } from "../../domain/rows/compactLists.js";

interface JudgedRows {
  /** By row: the shipment that the row now belongs to, numbered from 1; 0 for a row that is not sent. Each activity has its own number. */
  readonly shipments: NumberList;
  /** By row: the shipment that the row was first sent for, numbered from 0; -1 for none. */
  readonly firstShipments: NumberList;
  readonly firstShipmentCount: number;
}

interface PartLimits {
  /** The most rows in one part. */
  readonly maxRows: number;
  readonly maxParts: number;
}

interface Parts {
  /** By row: the part, numbered from 0, or one of the marks below. */
  readonly partOf: NumberList;
  readonly parts: number;
}

/** The row, or another row of its shipment, is not to be sent. */
export const notSent = -1;
/** All parts that may be sent are full. */
export const partsAreFull = -2;
/** The row's shipment has more rows than a part may have. */
export const tooLargeForPart = -3;

/** Rows that now belong to the same shipment, or were first sent for the same one, stay together. If one of them is not sent, none is. */
export function divideIntoParts({ shipments, firstShipments, firstShipmentCount }: JudgedRows, limits: PartLimits): Parts {
  const rows = shipments.length;
  let shipmentCount = 0;
  for (let row = 0; row < rows; row += 1) shipmentCount = Math.max(shipmentCount, shipments.get(row));
  // A union-find. Its nodes are the first shipments and the present shipments. Each row that is to be sent joins the two it belongs to.
  const parents = Int32Array.from({ length: firstShipmentCount + shipmentCount + 1 }, (_, node) => node);
  const rootOf = (node: number): number => {
    let root = node;
    while (parents[root] !== root) root = parents[root] ?? root;
    for (let below = node; below !== root; ) [below, parents[below]] = [parents[below] ?? root, root];
    return root;
  };
  const nodeOf = (row: number) => firstShipmentCount + shipments.get(row);
  for (let row = 0; row < rows; row += 1) {
    const first = firstShipments.get(row);
    if (shipments.get(row) > 0 && first >= 0) parents[rootOf(nodeOf(row))] = rootOf(first);
  }
  const sizes = new Int32Array(parents.length);
  const hasUnsentRow = new Uint8Array(parents.length);
  for (let row = 0; row < rows; row += 1) {
    const first = firstShipments.get(row);
    if (shipments.get(row) > 0) sizes[rootOf(nodeOf(row))] = (sizes[rootOf(nodeOf(row))] ?? 0) + 1;
    else if (first >= 0) hasUnsentRow[rootOf(first)] = 1;
  }
  return assignParts({ rows, rootOf: (row) => (shipments.get(row) > 0 ? rootOf(nodeOf(row)) : -1), sizes, hasUnsentRow }, limits);
}

/** Rows that stay together have the same root. */
interface JoinedRows {
  readonly rows: number;
  /** -1 for a row that is not to be sent. */
  readonly rootOf: (row: number) => number;
  /** By root: how many rows are to be sent. */
  readonly sizes: Int32Array;
  readonly hasUnsentRow: Uint8Array;
}

function assignParts({ rows, rootOf, sizes, hasUnsentRow }: JoinedRows, limits: PartLimits): Parts {
  const partOf = createInt32List();
  const marks = new Int32Array(sizes.length); // by root: part + 1, one of the marks above, or 0 if the root has not come up yet
  let [part, rowsInPart] = [0, 0];
  for (let row = 0; row < rows; row += 1) {
    const root = rootOf(row);
    if (root === -1 || hasUnsentRow[root]) {
      partOf.push(notSent);
      continue;
    }
    const size = sizes[root] ?? 0;
    if (size > limits.maxRows) marks[root] = tooLargeForPart;
    else if (marks[root] === 0) {
      if (rowsInPart > 0 && rowsInPart + size > limits.maxRows) [part, rowsInPart] = [part + 1, 0];
      const fits = part < limits.maxParts;
      marks[root] = fits ? part + 1 : partsAreFull;
      if (fits) rowsInPart += size;
    }
    const mark = marks[root] ?? 0;
    partOf.push(mark < 0 ? mark : mark - 1);
  }
  return { partOf, parts: Math.min(limits.maxParts, part + (rowsInPart > 0 ? 1 : 0)) };
}
