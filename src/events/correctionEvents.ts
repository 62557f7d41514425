// What happens to an import's rows after it has completed: rejected ones are corrected or dismissed, accepted ones are reversed. Each
// stream belongs to the import whose rows they are. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

const instant = z.iso.datetime();
/** Row numbers as the list of rejected rows shows them. */
const rows = z.array(z.number().int());

/**
 * A row that the correcting import may not record. `reversed`: the row was reversed by its number. `withdrawn`: its import was reversed as
 * a whole. `importId`, for `claimed` and `superseded` only: the import that has claimed the row, or has written its shipment since.
 */
const refusedRow = z.object({
  row: z.number().int(),
  /** The number that the row has in the correcting import. */
  correctionRow: z.number().int(),
  why: z.enum(["claimed", "dismissed", "superseded", "reversed", "withdrawn"]),
  importId: z.string().optional(),
});

/** Runs of consecutive numbers, each as its first and last number. Ascending and without overlaps. */
const ranges = z.array(z.tuple([z.number().int(), z.number().int()]));

/** Every event of a stream of reversals: each belongs to the import whose accepted rows are taken back. */
export const reversalEvents = {
  /** A row is reversed at most once: rows that an earlier event has reversed are not part of this one. */
  RowsReversed: z.object({
    importId: z.string(),
    reversalId: z.string(),
    /** `all`: every accepted row that was not reversed before. Then the open rejected rows of the import are withdrawn too. */
    rows: z.union([z.literal("all"), ranges]),
    /** The shipments' numbers in the import; `rows` has all lines of them. Absent for activities, and if `rows` is `all`. */
    shipments: ranges.optional(),
    /** How many activities or shipments are reversed. */
    count: z.number().int(),
    reason: z.string(),
    /** The reversal with which this one was made, if rows of a correction were reversed together with the rows that it corrects. */
    includedIn: z.object({ importId: z.string(), reversalId: z.string() }).optional(),
    by: principal,
    at: instant,
  }),
} as const;

/** Every event of a stream of corrections. */
export const correctionEvents = {
  /** A worker records it before the correcting import's first row. The import claims only once, so a refused row stays refused. */
  RowsClaimed: z.object({
    importId: z.string(),
    /** The correcting import. */
    correction: z.string(),
    rows, // without the refused ones
    refused: z.array(refusedRow),
    by: principal,
    at: instant,
  }),
  RowsDismissed: z.object({ importId: z.string(), rows, note: z.string(), by: principal, at: instant }),
  /** Dismissed rows that are to be corrected after all. */
  RowsReopened: z.object({ importId: z.string(), rows, by: principal, at: instant }),
  /**
   * A reversal is decided on the same stream as the claims, so that its revisions order claims and reversals. Afterwards the process
   * records RowsReversed on the stream of reversals. If it has died before that, the next decision on the import's rows records it.
   */
  ReversalDecided: reversalEvents.RowsReversed.extend({ organisationId: z.string(), correlationId: z.string() }),
} as const;

export type RefusedRow = z.infer<typeof refusedRow>;
export type RowsClaimed = z.infer<(typeof correctionEvents)["RowsClaimed"]>;
export type ReversalDecided = z.infer<(typeof correctionEvents)["ReversalDecided"]>;
export type RowsReversed = z.infer<(typeof reversalEvents)["RowsReversed"]>;
