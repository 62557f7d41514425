import { describe, expect, it } from "vitest";
import { createInt32List } from "../../src/domain/rows/compactLists.js";
import { divideIntoParts, notSent, partsAreFull, tooLargeForPart } from "../../src/judging/report/divideIntoParts.js";

const ints = (values: readonly number[]) => {
  const list = createInt32List();
  for (const value of values) list.push(value);
  return list;
};

/** Divides rows into parts. Each row has its shipment after the correction (0: the row is not sent) and its shipment before it. */
function divide(rows: readonly (readonly [now: number, before: number])[], most = { maxRows: 100, maxParts: 100 }) {
  const { partOf, parts } = divideIntoParts(
    {
      shipments: ints(rows.map(([now]) => now)),
      firstShipments: ints(rows.map(([, before]) => before)),
      firstShipmentCount: 1 + Math.max(-1, ...rows.map(([, before]) => before)),
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
  ])("%i rows in parts of at most 5 make %i", (rows, parts) => {
    expect(divide(alone(rows), { maxRows: 5, maxParts: 100 }).parts).toBe(parts);
  });

  it("beyond the largest number of parts are marked for the next time", () => {
    expect(divide(alone(5), { maxRows: 2, maxParts: 2 })).toEqual({ parts: 2, partOf: [0, 0, 1, 1, partsAreFull] });
  });

  it.each([
    [1, [0, 0]],
    [2, [0, 0]],
    [3, [tooLargeForPart, tooLargeForPart]],
  ])(
    "of a shipment with %i lines go into one part of 2 rows or are too many for any, and the next shipment goes into the last part",
    (lines, [first, last]) => {
      const { partOf, parts } = divide([...Array<[number, number]>(lines).fill([1, 0]), [2, 1]], { maxRows: 2, maxParts: 5 });
      expect([partOf[0], partOf[lines - 1]]).toEqual([first, last]);
      expect(partOf.at(-1)).toBe(parts - 1);
    },
  );

  it("are left out together when one row of their shipment is at fault", () => {
    expect(
      divide([
        [1, 0],
        [2, 1],
        [0, 1],
        [3, 2],
      ]).partOf,
    ).toEqual([0, notSent, notSent, 0]);
  });

  it("of two shipments are left out together when a line moved between the shipments and another line is at fault", () => {
    // One line of the second shipment now belongs to the first, and the second's other line is at fault.
    expect(
      divide([
        [1, 0],
        [1, 1],
        [0, 1],
        [2, 2],
      ]).partOf,
    ).toEqual([notSent, notSent, notSent, 0]);
  });

  it("of one shipment are never divided, wherever they stand in the report", () => {
    expect(
      divide(
        [
          [1, 0],
          [2, 1],
          [3, 2],
          [1, 0],
          [2, 1],
        ],
        { maxRows: 3, maxParts: 9 },
      ).partOf,
    ).toEqual([0, 1, 1, 0, 1]);
  });

  it("are in no part when all are at fault", () => {
    expect(
      divide([
        [0, 0],
        [0, -1],
      ]),
    ).toEqual({ parts: 0, partOf: [notSent, notSent] });
  });
});
