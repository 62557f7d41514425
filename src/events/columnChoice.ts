// Which field each column of a file holds, as the events of imports and organisations record it. This is a disk format.
import { z } from "zod";
import { dateOrders } from "../domain/imports/columns/dateOrder.js";
import { decimalMarks } from "../domain/imports/columns/decimal.js";

export const columnChoice = z.object({
  /** By the file's heading: the field that its column holds (a custom one as `customFields.<key>`), or null where it is left out. */
  headings: z.record(z.string(), z.string().nullable()),
  /** By field: one value for every row. */
  fixed: z.record(z.string(), z.string()).optional(),
  /** How dates such as 03/04/2026 are read; without it they are rejected. */
  dateOrder: z.enum(dateOrders).optional(),
  /** How numbers are written; without it as the contract has them. */
  decimal: z.enum(decimalMarks).optional(),
});
