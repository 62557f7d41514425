// What happens to an import's rows after it has completed: rejected ones are corrected or dismissed, accepted ones are reversed. Each
// stream belongs to the import whose rows they are. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

const instant = z.iso.datetime();
/** Row numbers as the list of rejected rows shows them. */
const rows = z.array(z.number().int());

/**
 * A row that the correcting import may not record. `importId` is the import that has claimed the row, or has written its shipment since. An
 * accepted row may be reversed, a rejected one withdrawn with its import.
 */
const refusedRow = z.object({
  row: z.number().int(),
  /** Its number in the correcting import. */
  correctionRow: z.number().int(),
  why: z.enum(["claimed", "dismissed", "superseded", "reversed", "withdrawn"]),
  importId: z.string().optional(),
});

/** First and last of neighbouring numbers, ascending and without overlaps. */
const ranges = z.array(z.tuple([z.number().int(), z.number().int()]));

/** Every event of a stream of reversals: each belongs to the import whose accepted rows are taken back. */
export const reversalEvents = {
  /** Does not have rows that were reversed before: a row is reversed once. */
  RowsReversed: z.object({
    importId: z.string(),
    reversalId: z.string(),
    /** `all`: every accepted row that was not reversed before. Then the open rejected rows of the import are withdrawn too. */
    rows: z.union([z.literal("all"), ranges]),
    /** For shipments, which are reversed whole: their numbers in the import. `rows` then has all their lines. Absent if `rows` is `all`. */
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
  /** Recorded by the worker before the correcting import records its first row. An import claims once: a refused row stays refused. */
  RowsClaimed: z.object({
    importId: z.string(),
    /** The correcting import. */
    correction: z.string(),
    rows,
    refused: z.array(refusedRow),
    by: principal,
    at: instant,
  }),
  RowsDismissed: z.object({ importId: z.string(), rows, note: z.string(), by: principal, at: instant }),
  /** Dismissed rows that are to be corrected after all. */
  RowsReopened: z.object({ importId: z.string(), rows, by: principal, at: instant }),
  /**
   * A reversal is decided on the stream of the claims, so that the stream's revisions order the two. RowsReversed follows on the stream
   * of the reversals. If the process that decided has not recorded it, the next decision on the import's rows does.
   */
  ReversalDecided: reversalEvents.RowsReversed.extend({ organisationId: z.string(), correlationId: z.string() }),
} as const;

export type RefusedRow = z.infer<typeof refusedRow>;
export type RowsClaimed = z.infer<(typeof correctionEvents)["RowsClaimed"]>;
export type ReversalDecided = z.infer<(typeof correctionEvents)["ReversalDecided"]>;
export type RowsReversed = z.infer<(typeof reversalEvents)["RowsReversed"]>;
