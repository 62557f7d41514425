import { describe, expect, it } from "vitest";
import { leftOut, nextTime, tooMany, wholeParts } from "../../../../src/commands/imports/judging/report/wholeParts.js";
import { growingInts } from "../../../../src/domain/rows/growingInts.js";

const ints = (values: readonly number[]) => {
  const list = growingInts();
  for (const value of values) list.push(value);
  return list;
};

/** Each row: the shipment it is of now (0 for one that is not to be sent), and the one it was sent for. */
function divide(rows: readonly (readonly [now: number, before: number])[], most = { rows: 100, parts: 100 }) {
  const { partOf, parts } = wholeParts(
    {
      shipments: ints(rows.map(([now]) => now)),
      groups: ints(rows.map(([, before]) => before)),
      groupCount: 1 + Math.max(-1, ...rows.map(([, before]) => before)),
    },
    most,
  );
  return { parts, partOf: rows.map((_, index) => partOf.get(index)) };
}

const alone = (count: number) => Array.from({ length: count }, (_, index) => [index + 1, -1] as const);

describe("the rows of a report in parts", () => {
  it.each([
    [4, 1],
    [5, 1],
    [6, 2],
    [10, 2],
    [11, 3],
  ])("%i rows in parts of 5 are %i", (rows, parts) => {
    expect(divide(alone(rows), { rows: 5, parts: 100 }).parts).toBe(parts);
  });

  it("beyond the last part stay for the next time", () => {
    expect(divide(alone(5), { rows: 2, parts: 2 })).toEqual({ parts: 2, partOf: [0, 0, 1, 1, nextTime] });
  });

  it.each([
    [1, [0, 0]],
    [2, [0, 0]],
    [3, [tooMany, tooMany]],
  ])("of a shipment with %i lines in parts of 2 fit or never will, and the rest goes on", (lines, [first, last]) => {
    const { partOf, parts } = divide([...Array<[number, number]>(lines).fill([1, 0]), [2, 1]], { rows: 2, parts: 5 });
    expect([partOf[0], partOf[lines - 1]]).toEqual([first, last]);
    expect(partOf.at(-1)).toBe(parts - 1);
  });

  it("of which one is at fault leave out the lines that it was sent with", () => {
    expect(
      divide([
        [1, 0],
        [2, 1],
        [0, 1],
        [3, 2],
      ]).partOf,
    ).toEqual([0, leftOut, leftOut, 0]);
  });

  it("that moved to another shipment keep both shipments together", () => {
    // a line of the second shipment is now one of the first, and the second's other line is at fault
    expect(
      divide([
        [1, 0],
        [1, 1],
        [0, 1],
        [2, 2],
      ]).partOf,
    ).toEqual([leftOut, leftOut, leftOut, 0]);
  });

  it("of one shipment are never divided, wherever they stand", () => {
    expect(
      divide(
        [
          [1, 0],
          [2, 1],
          [3, 2],
          [1, 0],
          [2, 1],
        ],
        { rows: 3, parts: 9 },
      ).partOf,
    ).toEqual([0, 1, 1, 0, 1]);
  });

  it("are none where all are at fault", () => {
    expect(
      divide([
        [0, 0],
        [0, -1],
      ]),
    ).toEqual({ parts: 0, partOf: [leftOut, leftOut] });
  });
});
