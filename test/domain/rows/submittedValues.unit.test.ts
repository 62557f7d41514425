import { expect, test } from "vitest";
import { submittedValues } from "../../../src/domain/rows/cells.js";

const columns = { names: ["#", "shipmentId", "", "itemType"], fields: ["#", "shipmentId", undefined, "itemType"] };

test("the values of a row are keyed by the contract's column names; columns without a name are left out", () => {
  expect(submittedValues(["1", "S-1", "7", ""], columns, "file")).toEqual({ shipmentId: "S-1", itemType: "" });
});

test("a blank field of a JSON push is left out", () => {
  expect(submittedValues(["1", "S-1", "7", ""], columns, "data")).toEqual({ shipmentId: "S-1" });
});

test("characters that cannot be stored become replacement characters", () => {
  expect(submittedValues(["1", "a\0b\ud800", "", { fault: "holds #REF!", text: "#REF!" }], columns, "file")).toEqual({
    shipmentId: "a\ufffdb\ufffd",
    itemType: "#REF!",
  });
});

test("however large the cells are, the values fit into an event", () => {
  const names = Array.from({ length: 512 }, (_, index) => `customFields.c${index}`);
  const cells = names.map(() => "\u0001".repeat(100_000));
  const values = submittedValues(cells, { names, fields: names }, "file");
  expect(Buffer.byteLength(JSON.stringify(values))).toBeLessThan(256 * 1024);
  expect(values["customFields.c0"]).toMatch(/\.\.\. \[cut short\]$/);
});

const one = { names: ["reference"], fields: ["reference"] };
const kept = (text: string) => submittedValues([text], one, "file")["reference"] ?? "";

test.each([3_999, 4_000])("a value of %i bytes is kept whole", (bytes) => {
  expect(kept("x".repeat(bytes))).toBe("x".repeat(bytes));
});

test("a longer value is cut to 4000 bytes, marked as cut short, and no character is split", () => {
  expect(kept("x".repeat(4_001))).toBe(`${"x".repeat(3_985)}... [cut short]`);
  expect(kept("📦".repeat(1_001))).toBe(`${"📦".repeat(996)}... [cut short]`);
});

test("a text of 1,000 characters is kept whole, in any script", () => {
  for (const text of ["x", "é", "箱", "📦"].map((character) => character.repeat(1_000))) expect(kept(text)).toBe(text);
});

test.each([
  [31_999, ""],
  [32_000, ""],
  [32_001, "... [cut short]"],
])("the values of a row of %i bytes end with %j", (bytes, end) => {
  const names = Array.from({ length: 9 }, (_, index) => `c${index}`);
  const cells = [...Array.from({ length: 8 }, () => "x".repeat(3_900)), "x".repeat(bytes - 8 * 3_900)];
  const values = Object.values(submittedValues(cells, { names, fields: names }, "file"));
  expect(Buffer.byteLength(values.join(""))).toBe(Math.min(bytes, 32_000));
  expect(values[8]?.replace(/x+/, "")).toBe(end);
});
