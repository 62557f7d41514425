// The activities of a running import, summed in memory as they pass, and what each says. When the import completes these are ready, and Postgres need
// not read all its rows once more while everything else waits: that takes some seconds for a million rows. If they were given up, the rows in the
// table are read instead.

import { add, cachedDecimal, type Decimal, zero } from "../../domain/exactDecimal.js";
import { instantOf } from "../../domain/imports/timestamp.js";
import { isStorable } from "../../domain/rows/cells.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { requestedRevision } from "../../events/importLayout.js";
import { halfHourMs, longestKey } from "../tables/activities.js";
import { createContentBlocks } from "./activityContents.js";

export interface Total {
  readonly customerId: string;
  readonly warehouseCode: string;
  readonly chargeCode: string;
  /** The half hour's beginning, in milliseconds since 1970. */
  readonly halfHour: number;
  quantity: Decimal;
  /** The largest quantity of a single row. */
  largest: number;
  readonly rows: number[];
}

/** The events of one import in one batch. */
interface ImportEvents {
  readonly accepted: readonly RowAccepted[];
  readonly acceptedRevisions: readonly bigint[];
  readonly firstRevision: bigint | undefined;
  readonly lastRevision: bigint;
}

export type RunningTotals = ReturnType<typeof runningTotals>;

/** The memory of a total without its rows and codes, as a count of numbers of eight bytes; its codes are kept twice. */
const numbersPerTotal = 24;
/** The row's number, in its total and with the two halves of its content. */
const numbersPerRow = 4;
const charactersPerNumber = 3;
/** Later times have no ISO text with a year of four digits. */
const endOf9999 = Date.UTC(10_000, 0);

export function runningTotals() {
  let totals: Map<string, Total> | undefined = new Map();
  let contents = createContentBlocks();
  let [rows, lastRow, size, seenUpTo] = [0, 0, 0, requestedRevision];

  const giveUp = () => {
    totals = undefined;
    contents = createContentBlocks();
    size = 0;
  };

  /** False for a row that this code may sum in another way than Postgres. */
  function addRow({ row, values }: RowAccepted): boolean {
    const { customerId = "", warehouseCode, chargeCode, quantity, activityTimestamp } = values;
    const instant = instantOf(String(activityTimestamp), "UTC");
    if (row <= lastRow || typeof quantity !== "number" || instant === undefined || instant >= endOf9999) return false;
    if (!isKey(customerId) || !isKey(warehouseCode) || !isKey(chargeCode)) return false;
    const halfHour = Math.floor(instant / halfHourMs) * halfHourMs;
    const key = `${customerId}\0${warehouseCode}\0${chargeCode}\0${halfHour}`;
    const total = totals?.get(key) ?? { customerId, warehouseCode, chargeCode, halfHour, quantity: zero, largest: quantity, rows: [] };
    if (total.rows.length === 0) {
      totals?.set(key, total);
      size += numbersPerTotal + Math.ceil(key.length / charactersPerNumber);
    }
    total.quantity = add(total.quantity, cachedDecimal(quantity));
    total.largest = Math.max(total.largest, quantity);
    total.rows.push(row);
    contents.add(row, values, instant);
    lastRow = row;
    rows += 1;
    size += numbersPerRow;
    return true;
  }

  return {
    /** Adds the rows that it has not seen yet: a batch that was rolled back comes again, perhaps with another first and last event. */
    add({ accepted, acceptedRevisions, firstRevision, lastRevision }: ImportEvents): void {
      if (firstRevision === undefined) return;
      if (firstRevision > seenUpTo + 1n) giveUp();
      for (const [index, row] of accepted.entries()) {
        const isNew = (acceptedRevisions[index] as bigint) > seenUpTo;
        if (totals && isNew && !addRow(row)) giveUp();
      }
      if (lastRevision > seenUpTo) seenUpTo = lastRevision;
    },
    /** Undefined unless it has seen exactly this many rows and could sum all of them. */
    all: (expected: number) => (totals && rows === expected ? { totals: [...totals.values()], blocks: contents.all() } : undefined),
    /** The memory in use, as a count of numbers. */
    size: (): number => size,
    /** Drops the totals for good. */
    giveUp,
  };
}

/** A storable text has no NUL, which separates the keys of a group. */
const isKey = (value: unknown): value is string => typeof value === "string" && value.length <= longestKey && isStorable(value);
