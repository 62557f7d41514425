import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createReasonList } from "../../../src/domain/rows/compactLists.js";
import { shipmentLineJudge } from "../../../src/domain/rows/rowJudges.js";
import { comparedColumns } from "../../../src/domain/rows/shipmentMeaning.js";
import { type ShipmentLine, shipmentVerdicts } from "../../../src/domain/rows/shipmentVerdicts.js";
import { context, rowOf, table } from "./sample.js";

const columns = table(
  "shipmentId",
  "customerId",
  "originPostCode",
  "originSuburb",
  "originState",
  "originCountryCode",
  "destinationPostCode",
  "destinationSuburb",
  "quoteDate",
  "rateCardAlias",
  "totalCostReceived",
  "itemType",
);
const good = {
  originPostCode: "2000",
  originSuburb: "Sydney",
  destinationPostCode: "3000",
  destinationSuburb: "Melbourne",
  itemType: "Box",
};

const judge = shipmentLineJudge(columns, context);

function seen(line: Record<string, string>, index: number): ShipmentLine {
  const row = rowOf(columns, { ...good, ...line });
  const { judged, origin, destination } = judge(row);
  return { row: index + 2, key: line["shipmentId"] || undefined, faults: judged.faults ?? [], cells: row.cells, origin, destination };
}

type Verdicts = ReturnType<typeof verdictsKeeping>;

const verdictsOf = (...lines: Record<string, string>[]) => verdictsKeeping(1_000, lines);

function verdictsKeeping(most: number, lines: readonly Record<string, string>[]) {
  const builder = shipmentVerdicts(comparedColumns(columns, context.timezone), createReasonList(most));
  for (const [index, line] of lines.entries()) builder.add(seen(line, index));
  const verdicts = builder.close();
  return { ...verdicts, reasonOf: (row: number) => verdicts.reasonOf(row, () => seen(lines[row] ?? {}, row))?.reason };
}

const reasons = (verdicts: Verdicts) => Array.from({ length: verdicts.rows }, (_, row) => verdicts.reasonOf(row));
const numbers = (verdicts: Verdicts) => Array.from({ length: verdicts.rows }, (_, row) => verdicts.shipmentOf(row));

test("lines of one shipment belong together wherever they stand", () => {
  const verdicts = verdictsOf({ shipmentId: "A" }, { shipmentId: "B" }, { shipmentId: "A" }, { shipmentId: "C" }, { shipmentId: "B" });
  expect(reasons(verdicts)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  expect(numbers(verdicts)).toEqual([1, 2, 1, 3, 2]);
  expect(verdicts.shipments).toBe(3);
});

test("two shipments stay two when a hash of 64 bits cannot tell their ids apart", () => {
  const verdicts = verdictsOf(
    { shipmentId: "PHKO13B71VWQBX1ZY5PIM5ZLPBVZJDRO4SL39OB75ILQGLJTNW42BJ940Q1IAC2HXY88N150QKMJ6GQQEQ1YS3MUU2" },
    { shipmentId: "PHKO1H88F9WQBX1ZY5PIHP7M0U0RYPRO4SLVJ4BD5ILQG50M3F42BJ9HA76IVU7P8Y88N1FO37U124I1EQ1YS3MUU2" },
  );
  expect(numbers(verdicts)).toEqual([1, 2]);
});

test("ids that differ only after their 200th character are two shipments", () => {
  const verdicts = verdictsOf({ shipmentId: `${"A".repeat(300)}1` }, { shipmentId: `${"A".repeat(300)}2`, rateCardAlias: "other" });
  expect(reasons(verdicts).join()).not.toContain("Contradicts");
});

test("a shipment with one faulty line is rejected whole, and only its own lines", () => {
  const verdicts = verdictsOf({ shipmentId: "A" }, { shipmentId: "B" }, { shipmentId: "A", itemType: "" }, { shipmentId: "A" });
  const sibling = "Rejected with its shipment: Item type is required";
  expect(reasons(verdicts)).toEqual([sibling, undefined, "Item type is required", sibling]);
  expect(numbers(verdicts)).toEqual([0, 1, 0, 0]);
});

test("a row with a blank shipment id does not belong to the shipment above it: it is faulty by itself", () => {
  const verdicts = verdictsOf({ shipmentId: "A" }, { shipmentId: "" }, { shipmentId: "" });
  expect(reasons(verdicts)).toEqual([undefined, "No Shipment ID found", "No Shipment ID found"]);
});

describe("contradictions", () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ["originState", { originState: "NSW" }, { originState: "New South Wales" }],
    ["originState", { originState: "NSW" }, { originState: "" }],
    ["originSuburb", { originSuburb: "SYDNEY" }, { originSuburb: "sydney " }],
    ["originSuburb", { originSuburb: "The Rocks" }, { originSuburb: "The-Rocks" }],
    ["originCountryCode", { originCountryCode: "" }, { originCountryCode: "au" }],
    ["totalCostReceived", { totalCostReceived: "12.50" }, { totalCostReceived: "12.5" }],
    ["quoteDate", { quoteDate: "2026-03-01T00:00:00Z" }, { quoteDate: "2026-03-01T11:00:00+11:00" }],
    ["quoteDate", { quoteDate: "2026-03-01T00:00:00Z" }, { quoteDate: "2026-03-01 11:00" }],
    ["rateCardAlias", { rateCardAlias: "Road" }, { rateCardAlias: "ROAD" }],
  ])("%s: %j and %j mean the same", (_, first, second) => {
    expect(reasons(verdictsOf({ shipmentId: "A", ...first }, { shipmentId: "A", ...second }))).toEqual([undefined, undefined]);
  });

  test.each<[string, Record<string, string>]>([
    ["customerId", { customerId: "CUST-2" }],
    ["originPostCode, originSuburb, originState", { originPostCode: "3000", originSuburb: "Melbourne", originState: "VIC" }],
    ["totalCostReceived", { totalCostReceived: "12.51" }],
    ["quoteDate", { quoteDate: "2026-03-01T00:00:01Z" }],
    ["rateCardAlias", { rateCardAlias: "" }],
  ])("another %s is named, and the whole shipment rejected", (names, second) => {
    const first = { shipmentId: "A", totalCostReceived: "12.5", quoteDate: "2026-03-01T00:00:00Z", rateCardAlias: "road" };
    const verdicts = verdictsOf(first, { ...first, ...second });
    const reason = `Contradicts the first line of its shipment in column(s): ${names}`;
    expect(reasons(verdicts)).toEqual([`Rejected with its shipment: ${reason}`, reason]);
    expect(verdicts.shipments).toBe(0);
  });

  test("a contradiction is found when a hash of 32 bits cannot tell the two values apart", () => {
    const verdicts = verdictsOf({ shipmentId: "A", rateCardAlias: "CUST-1PF8" }, { shipmentId: "A", rateCardAlias: "CUST-IRJ6" });
    expect(verdicts.reasonOf(1)).toBe("Contradicts the first line of its shipment in column(s): rateCardAlias");
  });

  test("a contradiction is found at the end of a long value", () => {
    const verdicts = verdictsOf(
      { shipmentId: "A", rateCardAlias: `${"x".repeat(900)}1` },
      { shipmentId: "A", rateCardAlias: `${"x".repeat(900)}2` },
    );
    expect(verdicts.reasonOf(1)).toBe("Contradicts the first line of its shipment in column(s): rateCardAlias");
  });

  const unknownPlace = "Origin Zone(s) not found";

  test.each<[string, Record<string, string>]>([
    ["originSuburb", { originSuburb: "Nowhere" }],
    ["originPostCode", { originPostCode: "3000" }],
    ["originPostCode, originSuburb", { originPostCode: "9999", originSuburb: "Nowhere" }],
  ])("an unknown place that is written in two ways is reported as unknown and as a contradiction in %s", (names, other) => {
    const reason = `${unknownPlace}; Contradicts the first line of its shipment in column(s): ${names}`;
    expect(reasons(verdictsOf({ shipmentId: "A" }, { shipmentId: "A", ...other }))).toEqual([
      `Rejected with its shipment: ${reason}`,
      reason,
    ]);
    const contradiction = `Contradicts the first line of its shipment in column(s): ${names}`;
    expect(reasons(verdictsOf({ shipmentId: "A", ...other }, { shipmentId: "A" }))).toEqual([unknownPlace, contradiction]);
  });

  test.each<[Record<string, string>, Record<string, string>]>([
    [{ originSuburb: "Nowhere" }, { originSuburb: "NOWHERE " }],
    [{ originState: "VIC" }, {}],
    [{ originState: "Vic" }, { originState: "Victoria" }],
    [{ originState: "VIC" }, { originSuburb: "" }],
  ])("for an unknown place, %j and %j may mean the same and do not contradict", (first, second) => {
    const verdicts = verdictsOf({ shipmentId: "A", ...first }, { shipmentId: "A", ...second });
    expect(reasons(verdicts).join()).not.toContain("Contradicts");
  });
});

test("a shipment may have 500 goods lines, and not 501", () => {
  const lines = (count: number) => Array.from({ length: count }, () => ({ shipmentId: "A" }));
  expect(verdictsOf(...lines(500)).shipments).toBe(1);
  const over = verdictsOf(...lines(501));
  expect(over.reasonOf(500)).toBe("A shipment can have at most 500 goods lines");
  expect(over.reasonOf(0)).toBe("Rejected with its shipment: A shipment can have at most 500 goods lines");
});

test("verdicts equal those of a plain model for any mix of lines", () => {
  const line = fc.record({ shipmentId: fc.constantFrom("", "A", "B", "C", "D"), itemType: fc.constantFrom("Box", "Box", "Box", "") });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const verdicts = verdictsOf(...lines);
      const faulty = new Set(lines.filter((each) => each.itemType === "").map((each) => each.shipmentId));
      const written = [...new Set(lines.map((each) => each.shipmentId))].filter((id) => id !== "" && !faulty.has(id));
      expect(verdicts.shipments).toBe(written.length);
      expect(numbers(verdicts)).toEqual(lines.map((each) => written.indexOf(each.shipmentId) + 1));
      expect(reasons(verdicts).map((reason) => reason === undefined)).toEqual(lines.map((each) => written.includes(each.shipmentId)));
    }),
  );
});

describe("a reason that is not kept", () => {
  const lines = [
    { shipmentId: "A" },
    { shipmentId: "A", itemType: "" },
    { shipmentId: "", quoteDate: "?" },
    { shipmentId: "B", totalCostReceived: "x" },
    { shipmentId: "A", rateCardAlias: "other", totalCostReceived: "y" },
    { shipmentId: "C" },
  ];

  test("is named by its row to the lines that are rejected with it", () => {
    const whole = reasons(verdictsKeeping(1_000, lines));
    expect(whole[0]).toBe("Rejected with its shipment: Item type is required");
    expect(reasons(verdictsKeeping(0, lines))).toEqual(["Rejected with its shipment: the reason is at row 3", ...whole.slice(1)]);
    expect(reasons(verdictsKeeping(1, lines))).toEqual(whole);
  });

  test("can be that of a goods line too many", () => {
    const many = Array.from({ length: 501 }, () => ({ shipmentId: "A" }));
    expect(reasons(verdictsKeeping(0, many)).slice(499)).toEqual([
      "Rejected with its shipment: the reason is at row 502",
      "A shipment can have at most 500 goods lines",
    ]);
  });
});

test.each([999, 1_000, 1_001])("of %i distinct reasons at most 1000 are kept, and none is longer than 16,000 bytes", (count) => {
  const kept = createReasonList();
  const numbered = Array.from({ length: count }, (_, index) => kept.numberOf(`${index} ${"é".repeat(20_000)}`));
  expect(numbered.filter((number) => number !== undefined)).toHaveLength(Math.min(count, 1_000));
  expect(kept.numberOf(`0 ${"é".repeat(20_000)}`)).toBe(1);
  expect(Buffer.byteLength(kept.get(1))).toBeLessThanOrEqual(16_000);
});
