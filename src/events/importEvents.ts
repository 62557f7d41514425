// The events of an import's stream: revision 0 is ImportRequested, 1 is ImportStarted, from 2 on there is one RowAccepted or RowRejected
// per row in row order, and the last event is ImportCompleted, ImportFailed or ImportCancelled. An import that ends before it starts has
// only the first and the last of these. This is a disk format.
import { z } from "zod";
import { columnChoice } from "../domain/imports/columns/choice.js";
import { type DecimalMark, decimalMarks } from "../domain/imports/columns/decimal.js";
import { importKinds } from "../domain/imports/fields.js";
import { unusualKinds } from "../domain/imports/unusual.js";
import { principal } from "../domain/principal.js";
import { faultCodes } from "../domain/rows/faults.js";

export { type ImportKind, importKinds } from "../domain/imports/fields.js";

const instant = z.iso.datetime();

/** Runs of consecutive row numbers, each as its first and last number. Ascending. */
const rowRanges = z.array(z.tuple([z.number().int(), z.number().int()]));

/** The accepted activities that are unusual in one way. */
const unusualOfKind = z.object({
  kind: z.enum(unusualKinds),
  count: z.number().int(),
  /** The rows of the first 1,000 of them. */
  rows: rowRanges,
  /** The rows whose new code looks like a known code, by the known code. */
  near: z.array(z.object({ code: z.string(), rows: rowRanges })).optional(),
  /** The rows that repeat an activity of an earlier import, by that import: the row's number in this import, then in that one. */
  sameAs: z.array(z.object({ importId: z.string(), rows: z.array(z.tuple([z.number().int(), z.number().int()])) })).optional(),
});

/** Every event of an import's stream. */
export const importEvents = {
  ImportRequested: z.object({
    importId: z.string(),
    organisationId: z.string(),
    kind: z.enum(importKinds),
    source: z.enum(["data", "file"]),
    sourceDetails: z.string(),
    /** The stored submission: the file as received, or for a JSON push the file that was made of it. */
    file: z.object({ key: z.string(), name: z.string(), format: z.enum(["csv", "xlsx"]), size: z.number().int(), sha256: z.string() }),
    /** How many shipments or activities a JSON push has; absent for files. */
    elements: z.number().int().optional(),
    /** The rows of an earlier import that this one corrects, in the order of its own rows. */
    corrects: z
      .object({
        importId: z.string(),
        rows: z.array(z.number().int()),
        /** The corrected rows that had been accepted: the new rows take their places. */
        accepted: z.array(z.number().int()).optional(),
        /** Why accepted rows are corrected. */
        reason: z.string().optional(),
        /** The decimal mark that was declared for the corrected import, if any. This import's numbers are written with it too. */
        decimal: z.enum(decimalMarks).optional(),
        /** If the rows first came from a JSON push of shipments: that push, and for each row its `element` there. */
        push: z.object({ importId: z.string(), elements: z.array(z.number().int()) }).optional(),
      })
      .optional(),
    /** The fields chosen for the file's columns, if its headings are not the contract's, with who chose them and when. */
    columns: columnChoice.extend({ by: principal, at: instant }).optional(),
    /** An earlier import whose file has the same content, as found when this import was pushed. */
    sameFileAs: z.string().optional(),
    /** Who pushed the import. In version 1 the id is the key's displayed prefix. */
    by: principal,
    requestId: z.string(),
    /** Present when the push had an Idempotency-Key. Only hashes are stored. */
    idempotency: z.object({ key: z.string(), body: z.string() }).optional(),
    at: instant,
  }),
  ImportStarted: z.object({
    importId: z.string(),
    by: principal,
    /** Rows are judged by this catalogue and these localities (SHA-256 by country), also after an interruption. */
    catalogueVersion: z.number().int(),
    localities: z.record(z.string(), z.string()),
    at: instant,
  }),
  /** `values` has the contract's fields. Numbers are JSON numbers, times are ISO 8601 with a zone. */
  RowAccepted: z.object({
    /** The row's number: in a file as a spreadsheet program shows it (header = 1), in a JSON push counted from 1. */
    row: z.number().int(),
    /** For shipments: which shipment of the import this goods line belongs to, counted from 1 in order of first appearance. */
    shipment: z.number().int().optional(),
    values: z.record(z.string(), z.unknown()),
  }),
  RowRejected: z.object({
    row: z.number().int(),
    shipmentId: z.string().optional(),
    reference: z.string().nullable().optional(),
    /** The sentences of all faults, joined by `; `. */
    error: z.string(),
    /** The faults, in the order of their sentences: the code and the fields of each. Events recorded before there were codes have none. */
    faults: z.array(z.tuple([z.enum(faultCodes)], z.string())).optional(),
    /** In place of `faults`, for a line that is rejected only because of another line of its shipment: the row of the line at fault. */
    lead: z.number().int().optional(),
    /**
     * For a line of a shipment that was first pushed as JSON: the row of its element's first line in that push. An import that corrects the
     * push keeps the push's number. Events recorded before two elements with one shipmentId were told apart have none.
     */
    element: z.number().int().optional(),
    data: z.record(z.string(), z.string()), // the values that were sent, by column name
  }),
  ImportCompleted: z.object({
    importId: z.string(),
    counts: z.object({ received: z.number().int(), processed: z.number().int(), failed: z.number().int() }),
    /** Absent if no row is unusual, and in older events. */
    unusual: z.array(unusualOfKind).optional(),
    /** How many rows are unusual; a row of several kinds is counted once. */
    unusualRows: z.number().int().optional(),
    report: z.object({ key: z.string(), size: z.number().int() }).nullable(),
    notes: z.array(z.string()),
    by: principal,
    at: instant,
  }),
  /** `progress`, also in ImportCancelled: percent. */
  ImportFailed: z.object({ importId: z.string(), reason: z.string(), progress: z.number(), by: principal, at: instant }),
  ImportCancelled: z.object({
    importId: z.string(),
    by: principal,
    /** Present when the service cancelled the import by itself. */
    reason: z.string().optional(),
    progress: z.number(),
    at: instant,
  }),
} as const;

/** The types of an import's last event. */
const importEndings = ["ImportCompleted", "ImportFailed", "ImportCancelled"] as const satisfies (keyof typeof importEvents)[];
export type ImportEnding = (typeof importEndings)[number];
export const isImportEnding = (type: string): type is ImportEnding => (importEndings as readonly string[]).includes(type);

export type ImportRequested = z.infer<(typeof importEvents)["ImportRequested"]>;

/** The decimal mark of an import's numbers; undefined if they are written as the contract says. */
export const decimalMarkOf = ({ columns, corrects }: { columns?: HasDecimal; corrects?: HasDecimal }) =>
  columns?.decimal ?? corrects?.decimal;
type HasDecimal = { readonly decimal?: DecimalMark | undefined } | undefined;

export type ImportColumns = NonNullable<ImportRequested["columns"]>;
export type ImportStarted = z.infer<(typeof importEvents)["ImportStarted"]>;
export type RowAccepted = z.infer<(typeof importEvents)["RowAccepted"]>;
export type RowRejected = z.infer<(typeof importEvents)["RowRejected"]>;
export type ImportCompleted = z.infer<(typeof importEvents)["ImportCompleted"]>;
export type UnusualOfKind = z.infer<typeof unusualOfKind>;

export type RowOutcome =
  | { readonly type: "RowAccepted"; readonly data: RowAccepted }
  | { readonly type: "RowRejected"; readonly data: RowRejected };
