import { expect, test } from "vitest";
import { decide, type ReverseRows, reversalsAggregate } from "../../../src/commands/reversals/reversalsDecider.js";
import { isInRanges, joinRanges, numbersIn, rangesOf } from "../../../src/domain/ranges.js";
import type { RowsReversed } from "../../../src/events/correctionEvents.js";
import { givenWhenThen } from "../givenWhenThen.js";

const given = givenWhenThen({ ...reversalsAggregate, decide });
const now = new Date("2026-03-01T00:00:00Z");
const by = { kind: "member" as const, id: "m-1" };
const importId = "the-import";
const made = { importId, reversalId: "r-2", reason: "sent twice", by };

const command = (extent: ReverseRows["extent"]): ReverseRows => ({ type: "reverseRows", ...made, now, notBefore: now, extent });
const all = (writtenCount: number, withdrawsRows = false) => command({ all: true, writtenCount, withdrawsRows });
const rows = (...numbers: number[]) =>
  command({ all: false, kind: "activities", units: numbers.map((number) => ({ number, rows: [number] })) });
const shipments = (...units: [number: number, rows: number[]][]) =>
  command({ all: false, kind: "shipments", units: units.map(([number, lines]) => ({ number, rows: lines })) });

const reversed = (data: Pick<RowsReversed, "rows" | "count" | "shipments">) => ({
  type: "RowsReversed" as const,
  data: { ...made, at: now.toISOString(), ...data },
});

test("rows are reversed once: only those that are left are recorded, as ranges", () => {
  given()
    .when(rows(9, 3, 2, 4))
    .decides(
      reversed({
        rows: [
          [2, 4],
          [9, 9],
        ],
        count: 4,
      }),
    );
  given(reversed({ rows: [[2, 4]], count: 3 }))
    .when(rows(4, 5))
    .decides(reversed({ rows: [[5, 5]], count: 1 }));
  given(reversed({ rows: [[2, 4]], count: 3 }))
    .when(rows(2, 4))
    .decidesNothing();
  given(reversed({ rows: "all", count: 3 }))
    .when(rows(2))
    .decidesNothing();
});

test("the whole import is what is left of it, once", () => {
  given(reversed({ rows: [[2, 4]], count: 3 }))
    .when(all(10))
    .decides(reversed({ rows: "all", count: 7 }));
  given(reversed({ rows: "all", count: 10 }))
    .when(all(10, true))
    .decidesNothing();
});

test("with no row left the whole import is reversed only if rejected rows are to be withdrawn", () => {
  const before = reversed({ rows: [[1, 10]], count: 10 });
  given(before).when(all(10)).decidesNothing();
  given(before)
    .when(all(10, true))
    .decides(reversed({ rows: "all", count: 0 }));
  given().when(all(0)).decidesNothing();
});

test("shipments are told apart by their numbers, and all of their lines go with them", () => {
  const first = reversed({ rows: [[2, 3]], shipments: [[1, 1]], count: 1 });
  given(first)
    .when(shipments([1, [2, 3]], [4, [9, 7]]))
    .decides(
      reversed({
        rows: [
          [7, 7],
          [9, 9],
        ],
        shipments: [[4, 4]],
        count: 1,
      }),
    );
});

test("ranges say which numbers they have", () => {
  const numbers = [1, 2, 3, 7, 9, 10];
  const ranges = rangesOf([10, 3, 1, 2, 9, 7, 7]);
  expect(ranges).toEqual([
    [1, 3],
    [7, 7],
    [9, 10],
  ]);
  expect(numbersIn(ranges)).toEqual(numbers);
  expect(Array.from({ length: 12 }, (_, number) => number).filter((number) => isInRanges(ranges, number))).toEqual(numbers);
  expect(joinRanges(ranges, [[4, 8]])).toEqual([[1, 10]]);
  expect(joinRanges([], [])).toEqual([]);
});
