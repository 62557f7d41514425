import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { limits } from "../../../src/domain/imports/limits.js";
import { activityPush, mayBeAccepted, shipmentPush, shipmentPushFaults } from "../../../src/domain/pushes/importPushes.js";
import { activitiesFileBytes, activitiesToCsv, shipmentsFileBytes, shipmentsToCsv } from "../../../src/domain/pushes/toFile.js";

const items = (count: number) => Array.from({ length: count }, () => ({ itemType: "carton", itemQuantity: 1, itemWeight: 2.5 }));
const shipment = { shipmentId: "S-1", originPostCode: "2000", destinationPostCode: "3000", items: items(1) };
const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };

const paths = (result: { success: boolean; error?: { issues: { path: PropertyKey[] }[] } }) =>
  result.success ? [] : (result.error?.issues.map((issue) => issue.path.join(".")) ?? []);
const shipmentsOf = (...shipments: unknown[]) => shipmentPush.safeParse({ shipments });
const activitiesOf = (...activities: unknown[]) => activityPush.safeParse({ activities });

describe("a shipment push", () => {
  it.each([
    [0, false],
    [1, true],
    [999, true],
    [1000, true],
    [1001, false],
  ])("of %i shipments passes: %s", (count, passes) => {
    expect(shipmentsOf(...Array.from({ length: count }, () => shipment)).success).toBe(passes);
  });

  it.each([
    [0, false],
    [1, true],
    [499, true],
    [500, true],
    [501, false],
  ])("with a shipment of %i goods lines passes: %s", (count, passes) => {
    const result = shipmentsOf({ ...shipment, items: items(count) });
    expect(paths(result)).toEqual(passes ? [] : ["shipments.0.items"]);
  });

  it.each([
    [499, 0],
    [500, 0],
    [501, 1],
  ])("with 9,500 goods lines and %i more has %i faults", (more, faults) => {
    const shipments = [
      ...Array.from({ length: 19 }, () => ({ items: items(500) })),
      { items: items(Math.min(more, 499)) },
      { items: items(1) },
    ];
    const lines = 9500 + more;
    const total = shipments.flatMap((each) => each.items).length;
    const padded =
      total < lines
        ? [...shipments, { items: items(lines - total) }]
        : shipments.slice(0, -1).concat(total > lines ? [] : shipments.slice(-1));
    expect(padded.flatMap((each) => each.items)).toHaveLength(lines);
    expect(shipmentPushFaults({ shipments: padded }, new Set())).toHaveLength(faults);
    expect(mayBeAccepted({ shipments: padded })).toBe(faults === 0);
  });

  it.each([
    [{ ...shipment, colour: "red" }, ["shipments.0"]],
    [{ ...shipment, items: [{ itemType: "carton", length: 3 }] }, ["shipments.0.items.0"]],
    [JSON.parse('{"shipmentId":"S","items":[{}],"__proto__":{"a":1}}'), ["shipments.0"]],
    [{ ...shipment, shipmentId: 5 }, ["shipments.0.shipmentId"]],
    [{ ...shipment, shipmentId: "a\0b" }, ["shipments.0.shipmentId"]],
    [{ ...shipment, shipmentId: "\ud800" }, ["shipments.0.shipmentId"]],
    [{ ...shipment, shipmentId: "x".repeat(201) }, ["shipments.0.shipmentId"]],
    [{ ...shipment, originPostCode: null }, ["shipments.0.originPostCode"]],
    [{ ...shipment, quoteDate: "2026-02-30T00:00:00Z" }, ["shipments.0.quoteDate"]],
    [{ ...shipment, totalCostReceived: 1e300 }, ["shipments.0.totalCostReceived"]],
    [{ ...shipment, totalCostReceived: "NaN" }, ["shipments.0.totalCostReceived"]],
    [{ ...shipment, items: [{ itemQuantity: Number.POSITIVE_INFINITY }] }, ["shipments.0.items.0.itemQuantity"]],
    [{ ...shipment, customFields: { costCentre: 5 } }, ["shipments.0.customFields.costCentre"]],
    [{ ...shipment, items: undefined }, ["shipments.0.items"]],
    ["text", ["shipments.0"]],
  ])("case %# is refused, and its path is named", (body, expected) => expect(paths(shipmentsOf(body))).toEqual(expected));

  it("names custom fields that the organisation does not have", () => {
    const push = shipmentPush.parse({ shipments: [shipment, { ...shipment, customFields: { costCentre: "A", constructor: "B" } }] });
    expect(shipmentPushFaults(push, new Set(["costCentre"]))).toEqual([
      "shipments.1.customFields.constructor is not a custom field of this organisation",
    ]);
  });

  it.each([
    [200, true],
    [201, false],
  ])("with %i custom fields in all could be accepted by some organisation: %s", (count, taken) => {
    const of = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`field${from + index}`, "x"]));
    const push = {
      shipments: [
        { items: items(1), customFields: of(0, 100) },
        { items: items(1), customFields: of(50, count) },
      ],
    };
    expect(mayBeAccepted(push)).toBe(taken);
  });

  it.each([
    [-1, true],
    [0, true],
    [1, false],
  ])("whose file would have the largest size and %i bytes more could be accepted: %s", (more, taken) => {
    const customFields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, "é".repeat(500)]));
    const keys = new Set(Object.keys(customFields));
    const of = (rateCardAlias: string) => ({
      shipments: [
        { customFields, items: items(500) },
        { rateCardAlias, items: items(1) },
      ],
    });
    const push = of("x".repeat(limits.pushFileBytes + more - shipmentsFileBytes(of(""))));
    expect(mayBeAccepted(push)).toBe(taken);
    expect(shipmentPushFaults(push, keys)).toEqual(
      taken ? [] : [expect.stringMatching(/^shipments must come to at most 52428800 bytes as a file, not 52428801: /)],
    );
  });

  it("with countless unknown custom fields names the first hundred, each on one short line", () => {
    const customFields = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}\n${"y".repeat(500)}`, ""]));
    const faults = shipmentPushFaults({ shipments: [{ customFields, items: items(1) }] }, new Set());
    expect(faults).toHaveLength(101);
    expect(faults[7]).toMatch(/^shipments\.0\.customFields\.f7\?y{97}\.\.\. is not a custom field of this organisation$/);
    expect(faults[100]).toBe("... and 900 more");
  });

  it("becomes a file with one line per goods line, each with its shipment's number in the push", () => {
    const push = shipmentPush.parse({
      shipments: [
        { ...shipment, shipmentId: '  "quoted", \r\n', customFields: { costCentre: "A,1" }, items: items(2) },
        { ...shipment, totalCostReceived: 12.1, items: [{ itemQuantity: 1e-7 }] },
      ],
    });
    expect(shipmentsFileBytes(push)).toBe(Buffer.byteLength([...shipmentsToCsv(push)].join("")));
    const { data } = Papa.parse<Record<string, string>>([...shipmentsToCsv(push)].join(""), { header: true, skipEmptyLines: true });
    expect(data.map((row) => [row["#"], row["shipmentId"], row["customFields.costCentre"], row["itemType"], row["itemQuantity"]])).toEqual([
      ["1", '  "quoted", \r\n', "A,1", "carton", "1"],
      ["1", '  "quoted", \r\n', "A,1", "carton", "1"],
      ["2", "S-1", "", "", "1e-7"],
    ]);
    expect(data[2]?.["totalCostReceived"]).toBe("12.1");
  });
});

describe("an activity push", () => {
  it.each([
    [0, false],
    [1, true],
    [9999, true],
    [10_000, true],
    [10_001, false],
  ])("of %i activities passes: %s", (count, passes) => {
    expect(activitiesOf(...Array.from({ length: count }, () => activity)).success).toBe(passes);
  });

  it.each([
    ["warehouseCode", undefined],
    ["warehouseCode", "  "],
    ["chargeCode", undefined],
    ["chargeCode", ""],
    ["quantity", undefined],
    ["quantity", 0],
    ["quantity", -0],
    ["quantity", "5"],
    ["quantity", 1e15],
    ["activityTimestamp", undefined],
    ["activityTimestamp", "yesterday"],
    ["activityTimestamp", "2026-02-29T00:00:00Z"],
    ["activityTimestamp", 1767225600],
  ])("with %s %j is refused, and its path is named", (field, value) => {
    expect(paths(activitiesOf(activity, { ...activity, [field]: value }))).toEqual([`activities.1.${field}`]);
  });

  it("accepts a time with blanks around it, as a file does", () => {
    expect(paths(activitiesOf({ ...activity, activityTimestamp: " 2026-03-01T09:30:00Z " }))).toEqual([]);
    expect(paths(activitiesOf({ ...activity, activityTimestamp: "   " }))).toEqual(["activities.0.activityTimestamp"]);
  });

  it("becomes a file with one line per activity", () => {
    const push = activityPush.parse({ activities: [activity, { ...activity, quantity: -2.5, reference: "a;b" }] });
    expect(activitiesFileBytes(push)).toBe(Buffer.byteLength([...activitiesToCsv(push)].join("")));
    const { data } = Papa.parse<Record<string, string>>([...activitiesToCsv(push)].join(""), { header: true, skipEmptyLines: true });
    expect(data.map((row) => [row["#"], row["quantity"], row["activityTimestamp"], row["reference"]])).toEqual([
      ["1", "1", "2026-03-01T09:30:00Z", ""],
      ["2", "-2.5", "2026-03-01T09:30:00Z", "a;b"],
    ]);
  });
});
