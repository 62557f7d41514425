import { describe, expect, test } from "vitest";
import { columnsOf } from "../../../src/domain/imports/fields.js";
import { faultyColumns } from "../../../src/domain/rows/faultyColumns.js";
import { activityJudge, shipmentLineJudge } from "../../../src/domain/rows/rowJudges.js";
import { context, rowOf, table } from "./sample.js";

const names = {
  shipments: [...columnsOf("shipments")].map(({ name }) => name),
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
  shipments: (values: Record<string, string>) => lineJudge(rowOf(shipments, values)).judged.reason,
  activities: (values: Record<string, string>) => rowJudge(rowOf(activities, values)).reason,
};

describe.each(["shipments", "activities"] as const)("%s", (kind) => {
  test.each(columnsOf(kind).map(({ name }) => name))("whatever is wrong with %s, its cell is marked", (name) => {
    for (const wrong of ["", "x".repeat(1_001), "31/31/2026", "\ud800", "-", "CUST-999"]) {
      const reason = reasonOf[kind]({ ...good, [name]: wrong });
      const marked = reason === undefined ? [] : faultyColumns(kind, reason);
      if (reason !== undefined) expect([reason, marked.includes(name) || marked.includes(placeOf(name))]).toEqual([reason, true]);
    }
  });

  test("several faults mark several cells", () => {
    const reason = reasonOf[kind]({}) ?? "";
    const required = columnsOf(kind).flatMap(({ name, required: how }) => (how === "value" ? [name] : []));
    expect(faultyColumns(kind, reason)).toEqual(expect.arrayContaining([...required]));
  });
});

/** Where a place is not found, its postcode and suburb are marked, whichever of its columns is wrong. */
const placeOf = (name: string) => name.replace(/(origin|destination)(State|CountryCode)$/, "$1PostCode");

test("custom fields are marked by their key, and contradicting lines in the columns that contradict", () => {
  const missing = reasonOf.shipments({ ...good, customerId: "CUST-1" }) ?? "";
  expect(faultyColumns("shipments", missing)).toEqual(["customFields.costCentre", "customFields.jobNumber"]);
  const contradiction = "Contradicts the first line of its shipment in column(s): destinationSuburb, costCentre";
  expect(faultyColumns("shipments", contradiction, new Set(["costCentre"]))).toEqual(["destinationSuburb", "customFields.costCentre"]);
  expect(faultyColumns("shipments", "costCentre holds the error #REF!", new Set(["costCentre"]))).toEqual(["customFields.costCentre"]);
});

test("a line that was rejected with its shipment, and a row that is wrong as a whole, have no marked cell", () => {
  expect(faultyColumns("shipments", "Rejected with its shipment: No Shipment ID found")).toEqual([]);
  expect(faultyColumns("activities", "The row is longer than 100000 characters; Has a value to the right of the last column")).toEqual([]);
});
