// What becomes of the rejected rows of one import: each stream belongs to the import whose rows are corrected. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";
import { rowsReversed } from "./reversalEvents.js";

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

/** Recorded by the worker before the correcting import records its first row. An import claims once: a refused row stays refused. */
const rowsClaimed = z.object({
  importId: z.string(),
  /** The correcting import. */
  correction: z.string(),
  rows,
  refused: z.array(refusedRow),
  by: principal,
  at: instant,
});

const rowsDismissed = z.object({ importId: z.string(), rows, note: z.string(), by: principal, at: instant });

/** Dismissed rows that are to be corrected after all. */
const rowsReopened = z.object({ importId: z.string(), rows, by: principal, at: instant });

/**
 * A reversal is decided on the stream of the claims, so that the stream's revisions order the two. RowsReversed follows on the stream of the
 * reversals. Whoever next decides on the import's rows records it if the process that decided has not.
 */
const reversalDecided = rowsReversed.extend({ organisationId: z.string(), correlationId: z.string() });

/** Every event of the stream. */
export const correctionEvents = {
  RowsClaimed: rowsClaimed,
  RowsDismissed: rowsDismissed,
  RowsReopened: rowsReopened,
  ReversalDecided: reversalDecided,
} as const;

export type RefusedRow = z.infer<typeof refusedRow>;
export type RowsClaimed = z.infer<typeof rowsClaimed>;
export type ReversalDecided = z.infer<typeof reversalDecided>;
