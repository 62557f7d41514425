// The activities of a running import, summed in memory as they pass. When the import completes its totals are ready, and Postgres need not
// read all its rows once more while everything else waits. If the totals were given up, the rows in the table are summed instead.
import { instantOf } from "../../domain/imports/timestamp.js";
import { add, type Decimal, decimal, knownDecimal } from "../../domain/money.js";
import { isStorable } from "../../domain/rows/cells.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { requestedRevision } from "../../events/importLayout.js";
import { halfHourMs, longestKey } from "../tables/activities.js";

/** The events of one import in one batch. */
interface TotalChange {
  readonly accepted: readonly RowAccepted[];
  readonly acceptedRevisions: readonly bigint[];
  readonly firstRevision: bigint | undefined;
  readonly lastRevision: bigint;
}

export interface Total {
  readonly customerId: string;
  readonly warehouseCode: string;
  readonly chargeCode: string;
  /** The half hour's beginning, in milliseconds since 1970. */
  readonly halfHour: number;
  readonly quantity: Decimal;
  /** The largest quantity of a single row. */
  readonly largest: number;
  readonly rows: readonly number[];
}

export interface RunningTotals {
  /** Adds the rows that it has not seen yet: a batch that was rolled back comes again, perhaps with another first and last event. */
  add(rows: TotalChange): void;
  /** Undefined unless it has seen exactly this many rows and could sum all of them. */
  all(rows: number): Total[] | undefined;
  /** The memory in use, as a count of numbers. */
  size(): number;
  /** Drops the totals for good. */
  giveUp(): void;
}

interface RunningTotal extends Omit<Total, "quantity" | "largest" | "rows"> {
  /** The sum of whole quantities, as far as a number is exact. */
  whole: number;
  /** The sum of all other quantities. */
  quantity: Decimal;
  largest: number;
  readonly rows: number[];
}

/** The memory of an entry for a group and half hour without its rows, as a count of numbers. */
const numbersPerTotal = 24;
/** A group's codes are kept twice, with two bytes per character if one of them has letters beyond Latin. */
const charactersPerNumber = 6;
/** Later times have no ISO text with a year of four digits. */
const endOf9999 = Date.UTC(10_000, 0);

export function runningTotals(): RunningTotals {
  let groups: Map<string, Map<number, RunningTotal>> | undefined = new Map();
  let [rows, totals, characters, lastRow, seenUpTo] = [0, 0, 0, 0, requestedRevision];

  const giveUp = () => {
    groups = undefined;
    [rows, totals, characters] = [0, 0, 0];
  };

  function totalOf({
    customerId: customer,
    warehouseCode,
    chargeCode,
    activityTimestamp,
  }: RowAccepted["values"]): RunningTotal | undefined {
    const customerId = customer ?? "";
    if (typeof customerId !== "string" || typeof warehouseCode !== "string" || typeof chargeCode !== "string") return undefined;
    const instant = instantOf(String(activityTimestamp), "UTC");
    if (instant === undefined || instant >= endOf9999) return undefined;
    const group = `${customerId}\0${warehouseCode}\0${chargeCode}`;
    let halfHours = groups?.get(group);
    if (!halfHours) {
      if (![customerId, warehouseCode, chargeCode].every(isKey)) return undefined;
      halfHours = new Map();
      groups?.set(group, halfHours);
      characters += group.length;
    }
    const halfHour = Math.floor(instant / halfHourMs) * halfHourMs;
    let total = halfHours.get(halfHour);
    if (!total) {
      total = {
        customerId,
        warehouseCode,
        chargeCode,
        halfHour,
        quantity: decimal(0),
        whole: 0,
        largest: Number.NEGATIVE_INFINITY,
        rows: [],
      };
      halfHours.set(halfHour, total);
      totals += 1;
    }
    return total;
  }

  function addRow({ row, values }: RowAccepted): void {
    const { quantity } = values;
    const total = row > lastRow && typeof quantity === "number" ? totalOf(values) : undefined;
    if (!total || typeof quantity !== "number") {
      giveUp();
      return;
    }
    if (Number.isSafeInteger(quantity) && Number.isSafeInteger(total.whole + quantity)) total.whole += quantity;
    else total.quantity = add(total.quantity, knownDecimal(quantity));
    if (quantity > total.largest) total.largest = quantity;
    total.rows.push(row);
    lastRow = row;
    rows += 1;
  }

  return {
    add({ accepted, acceptedRevisions, firstRevision, lastRevision }) {
      if (firstRevision === undefined) return;
      if (firstRevision > seenUpTo + 1n) giveUp();
      for (let index = 0; groups && index < accepted.length; index++) {
        if ((acceptedRevisions[index] as bigint) > seenUpTo) addRow(accepted[index] as RowAccepted);
      }
      if (lastRevision > seenUpTo) seenUpTo = lastRevision;
    },
    all(expected) {
      if (!groups || rows !== expected) return undefined;
      const all = [...groups.values()].flatMap((halfHours) => [...halfHours.values()]);
      return all.map(({ whole, quantity, ...total }) => ({ ...total, quantity: add(decimal(whole), quantity) }));
    },
    size: () => rows + totals * numbersPerTotal + Math.ceil(characters / charactersPerNumber),
    giveUp,
  };
}

/** A storable text has no NUL, which separates the keys of a group. */
const isKey = (text: string): boolean => text.length <= longestKey && isStorable(text);
