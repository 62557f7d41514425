import { expect, test } from "vitest";
import { submittedValues } from "../../../src/domain/rows/submittedValues.js";

const columns = { names: ["#", "Shipment ID", "Row", "itemType"], fields: ["#", "shipmentId", undefined, "itemType"] };

test("the values of a row are keyed by the file's column names, without the columns that are left out", () => {
  expect(submittedValues(["1", "S-1", "7", ""], columns, "file")).toEqual({ "Shipment ID": "S-1", itemType: "" });
});

test("a field that a JSON push did not have is not there", () => {
  expect(submittedValues(["1", "S-1", "7", ""], columns, "data")).toEqual({ "Shipment ID": "S-1" });
});

test("characters that cannot be stored are shown as such", () => {
  expect(submittedValues(["1", "a\0b\ud800", "", { fault: "holds #REF!", text: "#REF!" }], columns, "file")).toEqual({
    "Shipment ID": "a\ufffdb\ufffd",
    itemType: "#REF!",
  });
});

test("however large the cells are, the values fit into an event", () => {
  const names = Array.from({ length: 512 }, (_, index) => `customFields.c${index}`);
  const cells = names.map(() => "\u0001".repeat(100_000));
  const values = submittedValues(cells, { names, fields: names }, "file");
  expect(Buffer.byteLength(JSON.stringify(values))).toBeLessThan(256 * 1024);
  expect(values["customFields.c0"]).toMatch(/…$/);
});
