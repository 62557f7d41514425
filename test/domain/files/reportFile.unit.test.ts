import { describe, expect, it } from "vitest";
import { recogniseReport, reportSubject } from "../../../src/domain/files/header.js";

const id = "0198c0de-0000-7000-8000-000000000001";
const other = "0198c0de-0000-7000-8000-000000000002";
const columns = ["Row number", "Rejection reason", "quantity"];

describe("an uploaded error report", () => {
  it.each([
    ["by its properties, before its name", { name: `rejected-rows-${other}.xlsx`, columns, subject: reportSubject(id) }, { importId: id }],
    ["by its name", { name: `rejected-rows-${id} (2).csv`, columns }, { importId: id }],
    [
      "by its columns alone, without its import",
      { name: "anna.csv", columns: ["ROW NUMBER", "rejection_reason", "quantity"] },
      { importId: undefined },
    ],
    ["not by one of its columns", { name: `rejected-rows-${id}.csv`, columns: ["Row number", "quantity"] }, undefined],
  ])("is recognised %s", (_, file, report) => {
    expect(recogniseReport(file)).toEqual(report);
  });
});
