// The body of a correction: which rejected rows, and what stands in their columns instead.
import { z } from "zod";
import { limits } from "../imports/limits.js";
import { text } from "./values.js";

const highestRow = 2_147_483_647;

const correctedRow = z
  .strictObject({
    row: z.int().min(1).max(highestRow).describe("The row's number, as the list of rejected rows shows it"),
    values: z
      .record(z.string(), text())
      .describe("By column name: what replaces the value that was sent. The other columns stay as they were"),
  })
  .meta({ id: "CorrectedRow" });

export const correctionPush = z
  .strictObject({
    rows: z
      .array(correctedRow)
      .min(1)
      .max(limits.rowsPerCorrection)
      .refine((rows) => new Set(rows.map(({ row }) => row)).size === rows.length, "must name each row once")
      .describe("Each row once"),
  })
  .meta({ id: "CorrectionPush" });

export type CorrectionPush = z.infer<typeof correctionPush>;
