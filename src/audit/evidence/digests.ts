// Digests of what activity_totals should have of one import.
import { createHash } from "node:crypto";
import { instantOf } from "../../domain/imports/timestamp.js";
import { add, type Decimal, decimal, knownDecimal, toText } from "../../domain/money.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { storableText } from "../rowShapes.js";

interface Sum {
  quantity: Decimal;
  rows: number[];
  /** Rows that are once too often in `rows`: they were taken out, and count again. */
  readonly again?: number[];
}

/** The activities of one import, summed by customer, warehouse, charge code and half hour. By the total's key as JSON. */
export type ActivitySums = Map<string, Sum>;

/** What activity_totals should have, or has, of one import. */
export interface TotalsDigest {
  /** In words. */
  readonly said: string;
  readonly digest: string;
}

const halfHourMs = 30 * 60 * 1000;
/** The tables cut what is longer, so that it fits into an index. */
const longest = 200;

export function addActivity(sums: ActivitySums, { row, values }: RowAccepted): void {
  const { warehouseCode, chargeCode, quantity, activityTimestamp, customerId } = values as Record<string, unknown>;
  const instant = instantOf(String(activityTimestamp), "UTC");
  if (instant === undefined) return; // the ledger has the row, but no half hour for it
  const group = [customerId ?? "", warehouseCode, chargeCode].map((text) => [...storableText(String(text))].slice(0, longest).join(""));
  const key = JSON.stringify([...group, Math.floor(instant / halfHourMs) * halfHourMs]);
  const sum = sums.get(key) ?? { quantity: decimal(0), rows: [] };
  sum.quantity = add(sum.quantity, knownDecimal(Number(quantity)));
  sum.rows.push(row);
  sums.set(key, sum);
}

/** Adds a row of activity_totals, or one of activity_changes with the opposite sign, in the same form. */
export function addTotal(sums: ActivitySums, columns: readonly unknown[]): void {
  const [customerId, warehouseCode, chargeCode, halfHour, quantity, rowCount, rowNumbers] = columns;
  const key = JSON.stringify([customerId, warehouseCode, chargeCode, (halfHour as Date).getTime()]);
  const rows = rowNumbers as number[];
  const count = Number(rowCount);
  const known = sums.get(key) ?? { quantity: decimal(0), rows: [], again: [] };
  const numbers = rows.length === Math.abs(count) ? rows : [...rows, Number.NaN];
  sums.set(key, {
    quantity: add(known.quantity, decimal(String(quantity))),
    rows: count < 0 ? known.rows : known.rows.length === 0 ? numbers : [...known.rows, ...numbers],
    again: count < 0 ? [...(known.again ?? []), ...numbers] : (known.again ?? []),
  });
}

/** Each row once, ascending. */
function rowsOf({ rows, again = [] }: Sum): number[] {
  const left = [...rows].sort((one, other) => one - other);
  for (const row of again) {
    const index = left.indexOf(row);
    if (index < 0) left.push(Number.NaN);
    else left.splice(index, 1);
  }
  return left;
}

export function digestOfSums(sums: ActivitySums): TotalsDigest {
  const hash = createHash("sha256");
  let quantity = decimal(0);
  let rows = 0;
  for (const [key, sum] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${key} ${toText(sum.quantity)} ${rowsOf(sum).join(",")}\n`);
    quantity = add(quantity, sum.quantity);
    rows += sum.rows.length - (sum.again?.length ?? 0);
  }
  const said = `${sums.size} totals of ${rows} rows, ${toText(quantity)} in all`;
  return { said, digest: hash.digest("hex") };
}
