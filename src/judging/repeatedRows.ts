import { dayOf } from "../domain/imports/unusual.js";
import { type ActivityHash, hashActivity } from "../domain/rows/activityHash.js";
import { createInt32List, type NumberList } from "../domain/rows/compactLists.js";
import type { DayHashes, HashedRows, UsualFigures } from "./usualFigures.js";

export type RepeatLookUp = Awaited<ReturnType<ReturnType<typeof createRepeatFinder>["find"]>>;

/** How many days one query reads. The hashes of these days take some megabytes for a large organisation. */
const daysPerQuery = 8;

/** Keeps a 64-bit hash of each row, and finds the rows that repeat another row or an earlier activity. */
export function createRepeatFinder() {
  const [lows, highs, days] = [createInt32List(), createInt32List(), createInt32List()];
  const rowsOfDays = new Map<number, number>();
  const hash: ActivityHash = { low: 0, high: 0 };
  return {
    /** Called for each row. An `index` in the result of `find` counts these calls from 0. */
    add(values: Readonly<Record<string, unknown>>, instant: number): void {
      hashActivity(values, instant, hash);
      lows.push(hash.low);
      highs.push(hash.high);
      const day = dayOf(instant);
      days.push(day);
      rowsOfDays.set(day, (rowsOfDays.get(day) ?? 0) + 1);
    },
    async find(figures: UsualFigures) {
      const table = createHashTable({ lows, highs, days }, rowsOfDays);
      const repeats = createRepeatList(lows.length);
      const fileDays = [...rowsOfDays.keys()].sort((one, other) => one - other);
      for (let from = 0; from < fileDays.length; from += daysPerQuery) {
        const blocks = await figures.hashes(fileDays.slice(from, from + daysPerQuery));
        const hits = blocks.filter((each) => table.hasAny(each));
        if (hits.length === 0) continue;
        const hashedRows = await figures.hashedRows(hits.map(({ day, position, block }) => ({ day, position, block })));
        for (const [index, { lows }] of hits.entries()) repeats.add(table, lows, hashedRows[index] as HashedRows);
      }
      /** The earliest recorded activity that the row repeats, if there is one. */
      const sameAs = (index: number) => (repeats.isEmpty() ? undefined : repeats.at(table.first(index)));
      return { isRepeated: (index: number) => table.isRepeated(index) || sameAs(index) !== undefined, sameAs };
    },
  };
}

/** A Bloom filter of a day: at least 64 bits for each row, of which one is set. It rules out nearly all of millions of activities. */
const createMarks = (rows: number) => new Uint8Array(2 ** Math.ceil(Math.log2(rows * 8)));

/** The lowest bits of a hash's low half choose its slot in the table. Bits above this many choose its mark. */
const bitsBelowMark = 8;

type HashTable = ReturnType<typeof createHashTable>;

/** An open-addressed table of the rows by their hash. Of rows with equal hashes it has the first. */
function createHashTable({ lows, highs, days }: Record<"lows" | "highs" | "days", NumberList>, rowsOfDays: ReadonlyMap<number, number>) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, lows.length * 2)));
  const slots = new Int32Array(size); // index + 1, or 0
  const repeated = new Uint8Array(lows.length);
  const marks = new Map([...rowsOfDays].map(([day, rows]) => [day, createMarks(rows)]));
  const find = (low: number, high: number): number => {
    let slot = low & (size - 1);
    for (let at = slots[slot] as number; at > 0; at = slots[slot] as number) {
      if (lows.get(at - 1) === low && highs.get(at - 1) === high) return slot;
      slot = (slot + 1) & (size - 1);
    }
    return slot;
  };
  for (let index = 0; index < lows.length; index += 1) {
    const low = lows.get(index);
    const slot = find(low, highs.get(index));
    const dayMarks = marks.get(days.get(index)) as Uint8Array;
    const mark = (low >>> bitsBelowMark) & (dayMarks.length * 8 - 1);
    dayMarks[mark >>> 3] = (dayMarks[mark >>> 3] as number) | (1 << (mark & 7));
    const first = slots[slot] as number;
    if (first === 0) slots[slot] = index + 1;
    else repeated[first - 1] = repeated[index] = 1;
  }
  return {
    isRepeated: (index: number) => repeated[index] === 1,
    first: (index: number) => rowIn(find(lows.get(index), highs.get(index))),
    /** The first row with this hash; -1 for none. */
    indexOf: (low: number, high: number) => rowIn(find(low, high)),
    /** Whether a row of this day may have one of these hashes. The day rules out chance hits among millions of low halves. */
    hasAny({ day, lows: dayLows }: DayHashes): boolean {
      const dayMarks = marks.get(day) as Uint8Array;
      const [end, lastMark] = [dayLows.length, dayMarks.length * 8 - 1]; // reading them in the loop would take longer than all the rest
      for (let at = 0; at < end; at += 4) {
        const low = dayLows.readInt32LE(at);
        const mark = (low >>> bitsBelowMark) & lastMark;
        if (((dayMarks[mark >>> 3] as number) & (1 << (mark & 7))) !== 0 && hasLow(low, day)) return true;
      }
      return false;
    },
  };
  function hasLow(low: number, day: number): boolean {
    for (let slot = low & (size - 1), row = slots[slot] as number; row > 0; row = slots[slot] as number) {
      if (lows.get(row - 1) === low && days.get(row - 1) === day) return true;
      slot = (slot + 1) & (size - 1);
    }
    return false;
  }
  function rowIn(slot: number): number {
    return (slots[slot] as number) - 1;
  }
}

/** Lists which earlier activity each row repeats. */
function createRepeatList(length: number) {
  const importIds: string[] = [];
  let [importNumbers, rowNumbers]: [Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0)];
  return {
    isEmpty: () => importIds.length === 0,
    add(table: HashTable, lows: Buffer, { importId, rest, uncounted }: HashedRows) {
      if (importNumbers.length === 0) [importNumbers, rowNumbers] = [new Int32Array(length), new Int32Array(length)];
      const skipped = new Set(uncounted);
      let importNumber = 0;
      for (let at = 0; at < lows.length; at += 4) {
        const index = table.indexOf(lows.readInt32LE(at), rest[at / 2] as number);
        const row = rest[at / 2 + 1] as number;
        if (index < 0 || importNumbers[index] !== 0 || skipped.has(row)) continue;
        importNumber ||= importIds.push(importId);
        importNumbers[index] = importNumber;
        rowNumbers[index] = row;
      }
    },
    at(index: number) {
      const importId = importIds[(importNumbers[index] ?? 0) - 1];
      return importId === undefined ? undefined : { importId, row: rowNumbers[index] as number };
    },
  };
}
