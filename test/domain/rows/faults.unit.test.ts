import { describe, expect, test } from "vitest";
import { columnsOf } from "../../../src/domain/imports/fields.js";
import { createReasonList } from "../../../src/domain/rows/compactLists.js";
import { faultyColumns, fieldsAtFault, type RowReason, recordedFaults } from "../../../src/domain/rows/faults.js";
import { activityJudge, shipmentLineJudge } from "../../../src/domain/rows/rowJudges.js";
import { comparedColumns } from "../../../src/domain/rows/shipmentMeaning.js";
import { shipmentVerdicts } from "../../../src/domain/rows/shipmentVerdicts.js";
import { context, rowOf, table } from "./sample.js";

const names = {
  shipments: columnsOf("shipments").map(({ name }) => name),
  activities: columnsOf("activities").map(({ name }) => name),
};
const shipments = table(...names.shipments, "customFields.costCentre");
const activities = table(...names.activities);
const good: Record<string, string> = {
  ...{ shipmentId: "S-1", originPostCode: "2000", originSuburb: "Sydney", destinationPostCode: "3000", destinationSuburb: "Melbourne" },
  ...{ itemType: "Pallet", warehouseCode: "SYD", chargeCode: "PICK", quantity: "1", activityTimestamp: "2026-03-01" },
};
const lineJudge = shipmentLineJudge(shipments, context);
const rowJudge = activityJudge(activities, context);
const reasonOf = {
  shipments: (values: Record<string, string>) => found(lineJudge(rowOf(shipments, values)).judged),
  activities: (values: Record<string, string>) => found(rowJudge(rowOf(activities, values))),
};
const found = (judged: object): RowReason | undefined => ("reason" in judged ? (judged as RowReason) : undefined);
const customFieldKeys = new Set(["costCentre", "jobNumber"]);

/** The fields that are marked for the row's event, and for an event of the same row that was recorded before there were faults. */
const marks = (kind: "shipments" | "activities", reason: RowReason) => ({
  now: faultyColumns(kind, { error: reason.reason, ...recordedFaults(reason) }, new Set()),
  older: faultyColumns(kind, { error: reason.reason }, customFieldKeys),
});

describe.each(["shipments", "activities"] as const)("%s", (kind) => {
  test.each(columnsOf(kind).map(({ name }) => name))(
    "whatever is wrong with %s, its cell is marked, also for an event without faults",
    (name) => {
      for (const wrong of ["", "x".repeat(1_001), "31/31/2026", "6/10/2026", "\ud800", "-", "CUST-999"]) {
        const reason = reasonOf[kind]({ ...good, [name]: wrong });
        if (!reason) continue;
        const { now, older } = marks(kind, reason);
        expect([reason.reason, now.includes(name) || now.includes(placeOf(name))]).toEqual([reason.reason, true]);
        expect([reason.reason, older]).toEqual([reason.reason, now]);
      }
    },
  );

  test("several faults mark several cells, and each has its sentence", () => {
    const reason = reasonOf[kind]({ customerId: "CUST-999" }) as RowReason;
    const required = columnsOf(kind).flatMap(({ name, required: how }) => (how === "value" ? [name] : []));
    expect(fieldsAtFault(reason)).toEqual(expect.arrayContaining([...required, "customerId"]));
    expect(marks(kind, reason).older).toEqual(marks(kind, reason).now);
    expect(reason.reason.split("; ")).toEqual(reason.faults.map(({ sentence }) => sentence));
  });
});

/** Where a place is not found, its postcode and suburb are marked, whichever of its columns is wrong. */
const placeOf = (name: string) => name.replace(/(origin|destination)(State|CountryCode)$/, "$1PostCode");

test.each<[string, "shipments" | "activities", Record<string, string>, unknown]>([
  ["a missing value", "shipments", { itemType: "" }, [["required", "itemType"]]],
  ["a number that is none", "activities", { quantity: "many" }, [["invalid", "quantity"]]],
  ["a date in another form", "activities", { activityTimestamp: "6/10/2026" }, [["invalid", "activityTimestamp"]]],
  ["a customer that is not known", "activities", { customerId: "CUST-999" }, [["unknownCustomer", "customerId"]]],
  ["a place in no zone", "shipments", { originPostCode: "9999" }, [["zoneNotFound", "originPostCode", "originSuburb"]]],
  ["a text that is too long", "activities", { status: "x".repeat(1_001) }, [["tooLong", "status"]]],
  ["characters that cannot be stored", "activities", { status: "\ud800" }, [["unstorable", "status"]]],
  [
    "custom fields that a carrier requires",
    "shipments",
    { customerId: "CUST-1" },
    [["missingCustomField", "customFields.costCentre", "customFields.jobNumber"]],
  ],
])("%s is recorded by its code and its fields", (_, kind, values, faults) => {
  expect(recordedFaults(reasonOf[kind]({ ...good, ...values }) as RowReason)).toEqual({ faults });
});

test("a contradiction is recorded with its fields, and the lines that are rejected with it name its row only", () => {
  const builder = shipmentVerdicts(comparedColumns(shipments, context.timezone), createReasonList());
  const lines = [{}, { destinationSuburb: "Nowhere", rateCardAlias: "other", "customFields.costCentre": "9" }].map((values, index) => {
    const row = rowOf(shipments, { ...good, "customFields.costCentre": "1", ...values });
    const { judged, origin, destination } = lineJudge(row);
    return { row: index + 2, key: "S-1", faults: judged.faults ?? [], cells: row.cells, origin, destination };
  });
  for (const line of lines) builder.add(line);
  const verdicts = builder.close();
  const [first, second] = lines.map((line, index) => verdicts.reasonOf(index, () => line) as RowReason);
  expect(recordedFaults(second as RowReason)).toEqual({
    faults: [
      ["zoneNotFound", "destinationPostCode", "destinationSuburb"],
      ["contradiction", "destinationSuburb", "rateCardAlias", "customFields.costCentre"],
    ],
  });
  expect(marks("shipments", second as RowReason).older).toEqual(marks("shipments", second as RowReason).now);
  expect(recordedFaults(first as RowReason)).toEqual({ lead: 3 });
  expect(first?.reason).toBe(`Rejected with its shipment: ${second?.reason}`);
  expect(marks("shipments", first as RowReason)).toEqual({ now: [], older: [] });
});

test("an older error names custom fields by their keys, and a row that is wrong as a whole has no marked cell", () => {
  const older = (error: string) => faultyColumns("shipments", { error, faults: null, lead: null }, customFieldKeys);
  expect(older("costCentre holds the error #REF!")).toEqual(["customFields.costCentre"]);
  expect(older("Contradicts the first line of its shipment in column(s): destinationSuburb, costCentre")).toEqual([
    "destinationSuburb",
    "customFields.costCentre",
  ]);
  expect(older("The row is longer than 100000 characters; Has a value to the right of the last column")).toEqual([]);
});
