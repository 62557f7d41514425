// The activities of one import, summed by customer, warehouse, charge code and half hour: as activity_totals should have them.
import { createHash } from "node:crypto";
import { instantOf } from "../../domain/imports/timestamp.js";
import { add, type Decimal, decimal, knownDecimal, toText } from "../../domain/money.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { storable } from "../canonical.js";

interface Sum {
  quantity: Decimal;
  readonly rows: number[];
}

/** By the total's key as JSON. */
export type ActivitySums = Map<string, Sum>;

export interface DigestOfSums {
  readonly totals: number;
  readonly quantity: string;
  readonly rows: number;
  readonly digest: string;
}

const halfHourMs = 30 * 60 * 1000;
/** The tables cut what is longer, so that it fits into an index. */
const longest = 200;

export function addActivity(sums: ActivitySums, { row, values }: RowAccepted): void {
  const { warehouseCode, chargeCode, quantity, activityTimestamp, customerId } = values as Record<string, unknown>;
  const instant = instantOf(String(activityTimestamp), "UTC");
  if (instant === undefined) return; // the ledger has the row, but no half hour for it
  const group = [customerId ?? "", warehouseCode, chargeCode].map((text) => [...storable(String(text))].slice(0, longest).join(""));
  const key = JSON.stringify([...group, Math.floor(instant / halfHourMs) * halfHourMs]);
  const sum = sums.get(key) ?? { quantity: decimal(0), rows: [] };
  sum.quantity = add(sum.quantity, knownDecimal(Number(quantity)));
  sum.rows.push(row);
  sums.set(key, sum);
}

/** Adds a row of activity_totals in the same form. */
export function addTotal(sums: ActivitySums, columns: readonly unknown[]): void {
  const [customerId, warehouseCode, chargeCode, halfHour, quantity, rowCount, rowNumbers] = columns;
  const key = JSON.stringify([customerId, warehouseCode, chargeCode, (halfHour as Date).getTime()]);
  const rows = rowNumbers as number[];
  sums.set(key, { quantity: decimal(String(quantity)), rows: rows.length === rowCount ? rows : [...rows, Number.NaN] });
}

export function digestOfSums(sums: ActivitySums): DigestOfSums {
  const hash = createHash("sha256");
  let quantity = decimal(0);
  let rows = 0;
  for (const [key, sum] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${key} ${toText(sum.quantity)} ${sum.rows.join(",")}\n`);
    quantity = add(quantity, sum.quantity);
    rows += sum.rows.length;
  }
  return { totals: sums.size, quantity: toText(quantity), rows, digest: hash.digest("hex") };
}

/** The shipments of one import as shipment_versions should have them. */
export interface DigestOfVersions {
  readonly versions: number;
  readonly digest: string;
}

export interface VersionRow {
  readonly number: number;
  readonly shipmentId: string;
  readonly revisions: string;
}

export function digestOfVersions(shipments: readonly VersionRow[]): DigestOfVersions {
  const hash = createHash("sha256");
  for (const { number, shipmentId, revisions } of shipments.toSorted((a, b) => a.number - b.number))
    hash.update(`${JSON.stringify([number, storable(shipmentId), revisions])}\n`);
  return { versions: shipments.length, digest: hash.digest("hex") };
}
