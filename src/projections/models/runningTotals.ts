// Sums and content hashes of a running import's activities, kept in memory from batch to batch. They are ready when the import completes:
// for a million rows, Postgres would take some seconds to read them all again, during which no other event is projected. If the totals were
// dropped, they are made from the rows in the table instead.
import { add, cachedDecimal, type Decimal, zero } from "../../domain/exactDecimal.js";
import { instantOf } from "../../domain/imports/timestamp.js";
import { isStorable } from "../../domain/rows/cells.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { requestedRevision } from "../../events/importLayout.js";
import { halfHourMs, maxCodeLength } from "../tables/activities.js";
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

/** What the totals need of an ImportSlice. */
interface SliceRows {
  readonly acceptedRows: readonly RowAccepted[];
  readonly acceptedRevisions: readonly bigint[];
  readonly firstRevision: bigint | undefined;
  readonly lastRevision: bigint;
}

export type RunningTotals = ReturnType<typeof createRunningTotals>;

/** The memory that a total takes without its rows and codes, in numbers of eight bytes. Its codes are stored twice. */
const numbersPerTotal = 24;
/** A row's number is stored in its total, and again with the two halves of its hash. */
const numbersPerRow = 4;
const charactersPerNumber = 3;
/** Times from here on have more than four digits for the year in ISO text. */
const endOf9999 = Date.UTC(10_000, 0);

export function createRunningTotals() {
  let totals: Map<string, Total> | undefined = new Map();
  let contents = createContentBlocks();
  let [rowCount, lastRow, size, lastSeenRevision] = [0, 0, 0, requestedRevision];

  const drop = () => {
    totals = undefined;
    contents = createContentBlocks();
    size = 0;
  };

  /** False for a row that this code might not sum as Postgres does. */
  function addRow({ row, values }: RowAccepted): boolean {
    const { customerId = "", warehouseCode, chargeCode, quantity, activityTimestamp } = values;
    const instant = instantOf(String(activityTimestamp), "UTC");
    if (row <= lastRow || typeof quantity !== "number" || instant === undefined || instant >= endOf9999) return false;
    if (!isSummableCode(customerId) || !isSummableCode(warehouseCode) || !isSummableCode(chargeCode)) return false;
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
    rowCount += 1;
    size += numbersPerRow;
    return true;
  }

  return {
    /** Adds the rows not seen yet: a batch that was rolled back comes again, perhaps with another first and last event. */
    add({ acceptedRows, acceptedRevisions, firstRevision, lastRevision }: SliceRows): void {
      if (firstRevision === undefined) return;
      if (firstRevision > lastSeenRevision + 1n) drop();
      for (const [index, row] of acceptedRows.entries()) {
        const isNew = (acceptedRevisions[index] as bigint) > lastSeenRevision;
        if (totals && isNew && !addRow(row)) drop();
      }
      if (lastRevision > lastSeenRevision) lastSeenRevision = lastRevision;
    },
    /** Undefined unless exactly this many rows were added and all could be summed. */
    result: (rows: number) => (totals && rowCount === rows ? { totals: [...totals.values()], blocks: contents.result() } : undefined),
    /** The memory in use, in numbers of eight bytes. */
    size: (): number => size,
    /** Drops the totals and the hashes for good. */
    drop,
  };
}

/** A storable text has no NUL, which separates the codes in a total's key. */
const isSummableCode = (value: unknown): value is string => typeof value === "string" && value.length <= maxCodeLength && isStorable(value);
