import { expect } from "vitest";
import type { ReadOptions } from "../../../src/ports/spreadsheets.js";
import { cellsOf, readContent } from "./reading.js";
import { headerXml, type WorkbookPlan, workbook } from "./workbook.js";

export const rowsOf = async (plan: WorkbookPlan, options?: ReadOptions) => {
  const read = await readContent(workbook(plan), "upload.xlsx", options);
  expect(read.fault).toBe(null);
  return cellsOf(read);
};
export const inRow = (cells: string, plan: WorkbookPlan = {}, options?: ReadOptions) =>
  rowsOf({ ...plan, rows: `${headerXml("a", "b", "c")}<row r="2">${cells}</row>` }, options).then(([row]) => row);
