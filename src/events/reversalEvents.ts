// What was taken back of one import: each stream belongs to the import whose accepted rows are reversed. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

/** First and last of neighbouring numbers, ascending and without overlaps. */
const ranges = z.array(z.tuple([z.number().int(), z.number().int()]));

/** Rows that were reversed before are not in it: a row is reversed once. */
export const rowsReversed = z.object({
  importId: z.string(),
  reversalId: z.string(),
  /** `all`: every accepted row that was not reversed before. Then the open rejected rows of the import are withdrawn too. */
  rows: z.union([z.literal("all"), ranges]),
  /** For shipments, which are reversed whole: their numbers in the import. `rows` then has all of their lines. Absent where `rows` is `all`. */
  shipments: ranges.optional(),
  /** How many activities or shipments these are. */
  count: z.number().int(),
  reason: z.string(),
  /** The reversal with which this one was made, where rows of a correction were reversed together with the rows that it corrects. */
  includedIn: z.object({ importId: z.string(), reversalId: z.string() }).optional(),
  by: principal,
  at: z.iso.datetime(),
});

/** Every event of the stream. */
export const reversalEvents = { RowsReversed: rowsReversed } as const;

export type RowsReversed = z.infer<typeof rowsReversed>;
export type Ranges = readonly (readonly [first: number, last: number])[];
