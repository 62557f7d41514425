import { dayOf } from "../domain/imports/unusual.js";
import { type ActivityHash, hashActivity } from "../domain/rows/activityHash.js";
import { createIntList, type IntList } from "../domain/rows/compactLists.js";
import type { DayHashes, HashedRows, UsualFigures } from "./usualFigures.js";

export type RepeatLookUp = Awaited<ReturnType<ReturnType<typeof createRepeatFinder>["find"]>>;

/** How many days are read at once: of a large organisation they take some megabytes. */
const daysAtOnce = 8;

/** Keeps 64 bits of each row, and finds among them those of earlier activities. */
export function createRepeatFinder() {
  const [lows, highs, days] = [createIntList(), createIntList(), createIntList()];
  const rowsOfDays = new Map<number, number>();
  const content: ActivityHash = { low: 0, high: 0 };
  return {
    /** Is called for each row. `find` answers by the order of these calls, counted from 0. */
    add(values: Readonly<Record<string, unknown>>, instant: number): void {
      hashActivity(values, instant, content);
      lows.push(content.low);
      highs.push(content.high);
      const day = dayOf(instant);
      days.push(day);
      rowsOfDays.set(day, (rowsOfDays.get(day) ?? 0) + 1);
    },
    async find(figures: UsualFigures) {
      const table = hashTable({ lows, highs, days }, rowsOfDays);
      const found = foundRows(lows.length);
      const asked = [...rowsOfDays.keys()].sort((one, other) => one - other);
      for (let from = 0; from < asked.length; from += daysAtOnce) {
        const days = asked.slice(from, from + daysAtOnce);
        const hits = (await figures.hashes(days)).filter((each) => table.hasAny(each));
        if (hits.length === 0) continue;
        const rests = await figures.hashedRows(hits.map(({ day, position, block }) => ({ day, position, block })));
        for (const [index, { lows }] of hits.entries()) found.add(table, lows, rests[index] as HashedRows);
      }
      /** The earliest activity that the row repeats. Undefined where it only repeats a row of its own file. */
      const sameAs = (index: number) => (found.isEmpty() ? undefined : found.at(table.first(index)));
      return { isRepeated: (index: number) => table.isRepeated(index) || sameAs(index) !== undefined, sameAs };
    },
  };
}

/** At least 64 bits for each row of a day, one of them set. They rule out nearly all of millions of activities, and stay in the processor's cache. */
const createMarks = (rows: number) => new Uint8Array(2 ** Math.ceil(Math.log2(rows * 8)));

/** The last bits of a low half choose the slot in the table, so others choose the mark. */
const unmarkedBits = 8;

type HashTable = ReturnType<typeof hashTable>;

/** An open-addressed table of the rows by their content; of rows with one content it has the first. */
function hashTable({ lows, highs, days }: Readonly<Record<"lows" | "highs" | "days", IntList>>, rowsOfDays: ReadonlyMap<number, number>) {
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
    const ofDay = marks.get(days.get(index)) as Uint8Array;
    const mark = (low >>> unmarkedBits) & (ofDay.length * 8 - 1);
    ofDay[mark >>> 3] = (ofDay[mark >>> 3] as number) | (1 << (mark & 7));
    const first = slots[slot] as number;
    if (first === 0) slots[slot] = index + 1;
    else repeated[first - 1] = repeated[index] = 1;
  }
  return {
    isRepeated: (index: number) => repeated[index] === 1,
    first: (index: number) => rowIn(find(lows.get(index), highs.get(index))),
    /** The row with this content; -1 for none. */
    indexOf: (low: number, high: number) => rowIn(find(low, high)),
    /** Whether a row of this day perhaps has one of these contents. Without the day, some low half of millions would be found by chance. */
    hasAny({ day, lows: asked }: DayHashes): boolean {
      const ofDay = marks.get(day) as Uint8Array;
      const [end, last] = [asked.length, ofDay.length * 8 - 1]; // read once: they are slower than all the rest
      for (let at = 0; at < end; at += 4) {
        const low = asked.readInt32LE(at);
        const mark = (low >>> unmarkedBits) & last;
        if (((ofDay[mark >>> 3] as number) & (1 << (mark & 7))) !== 0 && hasLow(low, day)) return true;
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

/** Which earlier activity each row repeats. */
function foundRows(length: number) {
  const imports: string[] = [];
  let [ofImport, ofRow]: [Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0)];
  return {
    isEmpty: () => imports.length === 0,
    add(table: HashTable, lows: Buffer, { importId, rest, uncounted }: HashedRows) {
      if (ofImport.length === 0) [ofImport, ofRow] = [new Int32Array(length), new Int32Array(length)];
      const skipped = new Set(uncounted);
      let number = 0;
      for (let at = 0; at < lows.length; at += 4) {
        const index = table.indexOf(lows.readInt32LE(at), rest[at / 2] as number);
        const row = rest[at / 2 + 1] as number;
        if (index < 0 || ofImport[index] !== 0 || skipped.has(row)) continue;
        number ||= imports.push(importId);
        ofImport[index] = number;
        ofRow[index] = row;
      }
    },
    at(index: number) {
      const importId = imports[(ofImport[index] ?? 0) - 1];
      return importId === undefined ? undefined : { importId, row: ofRow[index] as number };
    },
  };
}
