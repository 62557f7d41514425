// A good workbook, and helpers that make bad ones from it.
import { headerXml, type WorkbookPlan, workbook } from "../adapters/spreadsheets/workbook.js";
import type { ZipPart } from "../adapters/spreadsheets/zip.js";
import { type Expectation, poison } from "./expectation.js";

export const HEAD = headerXml("a", "b");
const DAMAGED = /damaged or was cut short/;
export const good: WorkbookPlan = { rows: `${HEAD}<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>` };
export const damaged: Expectation = { fault: DAMAGED };

export const book = (name: string, plan: () => WorkbookPlan, expect: Expectation, fileName = "rows.xlsx") =>
  poison(name, () => workbook(plan()), expect, fileName);
/** A workbook with the header and these rows. */
export const rows = (name: string, markup: string, expect: Expectation, plan: WorkbookPlan = {}) =>
  book(name, () => ({ ...plan, rows: HEAD + markup }), expect);
/** A workbook with the header and one row of these cells. */
export const cells = (name: string, markup: string, expect: Expectation, plan: WorkbookPlan = {}) =>
  rows(name, `<row r="2">${markup}</row>`, expect, plan);
export const edited = (name: string, part: string, edit: (part: ZipPart) => ZipPart[], expect: Expectation) =>
  book(name, () => ({ ...good, edit: (parts) => parts.flatMap((each) => (each.name === part ? edit(each) : [each])) }), expect);

export const SHEET = "xl/worksheets/sheet1.xml";
