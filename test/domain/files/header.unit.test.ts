import { describe, expect, it } from "vitest";
import { matchHeader, reportColumns } from "../../../src/domain/files/header.js";

const known = {
  required: ["warehouseCode", "chargeCode"],
  optional: ["customerId", "reference"],
  custom: ["costCentre", "__proto__", "reference", "po number"],
  ignored: reportColumns,
};
const fieldsOf = (...columns: string[]) => {
  const match = matchHeader(columns, known);
  return match.ok ? match.fields : match.message;
};

describe("a header row", () => {
  it("matches columns in any order", () => {
    expect(fieldsOf("chargeCode", "reference", "warehouseCode")).toEqual(["chargeCode", "reference", "warehouseCode"]);
  });

  it.each([
    "WAREHOUSECODE",
    "  warehouse code ",
    "Warehouse_Code",
    "warehouse-code",
    "Warehouse\u00a0Code",
    "WAREHOUSE\nCODE",
    "\ufeffwarehouseCode",
  ])("knows %j for warehouseCode", (column) => {
    expect(fieldsOf(column, "chargeCode")).toEqual(["warehouseCode", "chargeCode"]);
  });

  it("gives each column its contract name, however it is spelt", () => {
    expect(matchHeader(["ROW NUMBER", "Warehouse_Code", "charge code", "COST-CENTRE", "customfields.po number"], known)).toMatchObject({
      names: ["", "warehouseCode", "chargeCode", "costCentre", "customFields.po number"],
    });
  });

  const padded = (bytes: number) => `w${"-".repeat(bytes - "warehouseCode".length)}arehouseCode`;

  it.each([254, 255])("recognises a name padded to %i bytes", (bytes) => {
    expect(fieldsOf(padded(bytes), "chargeCode")).toEqual(["warehouseCode", "chargeCode"]);
  });

  it.each([256, 32_013])("does not recognise a name padded to %i bytes", (bytes) => {
    expect(fieldsOf(padded(bytes), "chargeCode")).toMatch(
      /^Invalid file structure\. Missing required column\(s\): warehouseCode\. Unrecognised column\(s\): w-+\.\.\. \[cut short\]\.$/,
    );
  });

  it("counts the bytes of a padded name, not its characters", () => {
    expect(fieldsOf(`w${"\u2010".repeat(80)}arehouseCode`, "chargeCode")).toEqual(["warehouseCode", "chargeCode"]);
    expect(fieldsOf(`w${"\u2010".repeat(81)}arehouseCode`, "chargeCode")).toContain("Unrecognised column(s)");
  });

  it("names missing and unknown columns, in one sentence each", () => {
    expect(fieldsOf("colour", "reference", "size")).toBe(
      "Invalid file structure. Missing required column(s): warehouseCode, chargeCode. Unrecognised column(s): colour, size.",
    );
  });

  it("names only missing columns, or only unknown ones, where the others are none", () => {
    expect(fieldsOf("chargeCode")).toBe("Invalid file structure. Missing required column(s): warehouseCode.");
    expect(fieldsOf("chargeCode", "warehouseCode", "colour")).toBe("Invalid file structure. Unrecognised column(s): colour.");
  });

  it("takes a custom field by its key or by its long name", () => {
    expect(fieldsOf("warehouseCode", "chargeCode", "Cost Centre", "customFields.PO number")).toEqual([
      "warehouseCode",
      "chargeCode",
      "customFields.costCentre",
      "customFields.po number",
    ]);
  });

  it("takes a column for the contract's field when a custom field has the same name", () => {
    expect(fieldsOf("warehouseCode", "chargeCode", "reference", "customFields.reference")).toEqual([
      "warehouseCode",
      "chargeCode",
      "reference",
      "customFields.reference",
    ]);
  });

  it("refuses a column that is there twice, however it is spelt", () => {
    expect(fieldsOf("warehouseCode", "chargeCode", "Charge Code")).toBe(
      "Invalid file structure. Repeated column(s): chargeCode and Charge Code.",
    );
    expect(fieldsOf("warehouseCode", "chargeCode", "costCentre", "customFields.costCentre")).toBe(
      "Invalid file structure. Repeated column(s): costCentre and customFields.costCentre.",
    );
  });

  it("refuses a name that could be either of two custom fields, unless it is exactly one of them", () => {
    const twins = { ...known, custom: ["batch_no", "batchNo"] };
    expect(matchHeader(["warehouseCode", "chargeCode", "Batch No"], twins)).toEqual({
      ok: false,
      message: "Invalid file structure. Ambiguous column(s): Batch No (customFields.batch_no or customFields.batchNo).",
    });
    expect(matchHeader(["warehouseCode", "chargeCode", "batchNo"], twins)).toEqual({
      ok: true,
      fields: ["warehouseCode", "chargeCode", "customFields.batchNo"],
      names: ["warehouseCode", "chargeCode", "batchNo"],
    });
  });

  it("is not misled by names that every object has, such as constructor", () => {
    expect(fieldsOf("warehouseCode", "chargeCode", "__proto__")).toEqual(["warehouseCode", "chargeCode", "customFields.__proto__"]);
    expect(fieldsOf("warehouseCode", "chargeCode", "constructor", "toString")).toBe(
      "Invalid file structure. Unrecognised column(s): constructor, toString.",
    );
  });

  it("leaves out the error report's columns and columns without a name", () => {
    expect(fieldsOf("Row number", "Rejection reason", "warehouseCode", "", "chargeCode")).toEqual([
      undefined,
      undefined,
      "warehouseCode",
      undefined,
      "chargeCode",
    ]);
  });

  it("names 100 unknown columns at most, each cut short, in its message", () => {
    const message = fieldsOf(...Array.from({ length: 500 }, (_, index) => `${"x".repeat(30_000)}${index}`));
    expect(message.length).toBeLessThan(11_000);
    expect(message).toContain("and 400 more");
  });

  it.each([
    [100, /c99\.$/],
    [101, /c99, and 1 more\.$/],
  ])("names %i unknown columns", (count, end) => {
    expect(fieldsOf(...Array.from({ length: count }, (_, index) => `c${index}`))).toMatch(end);
  });
});
