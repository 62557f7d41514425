// What the routes about imports share: the two kinds with their paths, and the contract's Import.
import { z } from "zod";
import { unusualKinds } from "../../../domain/imports/unusual.js";
import type { ImportKind } from "../../../events/importEvents.js";
import { type ImportView, shownImport } from "../../../queries/imports/importView.js";
import type { ApiDeps } from "../deps.js";
import { answerObject, instant } from "../document/schemas.js";

export const importKindRoutes = [
  { kind: "shipments", base: "/v1/org/shipments/imports", tag: "Shipment imports", noun: "shipment", name: "Shipment" },
  { kind: "activities", base: "/v1/org/fulfilment/imports", tag: "Fulfilment imports", noun: "fulfilment", name: "Fulfilment" },
] as const satisfies readonly { kind: ImportKind; base: string; tag: string; noun: string; name: string }[];

export const importParams = z.object({ importId: z.string().describe("As the push answered it") });

export const unusualKind = z
  .enum(unusualKinds)
  .describe(
    "newCode: a charge or warehouse code that no activity had before. quantity: negative, or more than 20 times the largest of its charge code in 90 days. " +
      "time: more than 90 days before the push or 24 hours after it. noCustomer: nearly all activities have one. repeated: the same activity is there twice",
  );

const counts = answerObject("ImportCounts", {
  received: z.int().describe("Rows read; a shipment with three goods lines is three rows"),
  processed: z.int().describe("Shipments or activities written to the ledger"),
  failed: z.int().describe("Rows rejected; of a fulfilment import 0 until it ends"),
});

const corrected = answerObject("CorrectedRows", {
  importId: z.string().describe("The import whose rows are corrected"),
  rows: z.array(z.int()).describe("Their numbers there, in the order of this import's rows"),
  reason: z.string().optional().describe("Why, where it was given: it has to be for rows that were accepted"),
});

const unusual = answerObject("UnusualCounts", {
  count: z.int().describe("How many rows; a row of several kinds is counted once"),
  kinds: z
    .array(answerObject("UnusualKindCount", { kind: unusualKind, count: z.int().describe("How many rows are of this kind") }))
    .describe("By kind"),
});

const reversed = answerObject("ReversedRows", {
  rows: z.int().describe("How many of its activities or shipments are reversed"),
  all: z.boolean().describe("Whether these are all"),
  at: instant("When the last of them was reversed"),
});

/** A field that the published contract does not have. */
const extension = <Field extends z.ZodType>(field: Field, meaning: string): Field =>
  field.describe(`Extension: ${meaning}`).meta({ "x-extension": true });

export const importSchema = answerObject("Import", {
  importId: z.string().describe("Names the import"),
  source: z.enum(["data", "file"]).describe("data for JSON, file for an upload"),
  status: z.enum(["queued", "processing", "completed", "failed", "cancelled"]).describe("See the states of an import"),
  progress: z.number().describe("0 to 100; 100 exactly when completed"),
  counts: counts.describe("Final once the import has ended"),
  sourceDetails: z.string().describe("Your reference for the push"),
  submittedAt: instant("When the push was accepted"),
  startedAt: instant("When a worker began with it; null while it waits").nullable(),
  finishedAt: instant("When it ended; null before").nullable(),
  errorMessage: z.string().nullable().describe("Why a failed import could not run"),
  errorReportUrl: z
    .string()
    .meta({ format: "uri" })
    .nullable()
    .describe(
      "Signed link to a spreadsheet of the rejected rows; expires after one hour. Null until the import finishes, and when nothing was rejected. " +
        "Of a cancelled or failed import it follows within seconds, as does a report that was lost from the store",
    ),
  correctionOf: extension(corrected.optional(), "the rows of another import that this one corrects; absent where it corrects none"),
  reversed: extension(reversed.nullable(), "what was taken back of it; null where nothing was. Its status stays what it was"),
  sameFileAs: extension(
    z.string().nullable(),
    "an earlier import of this kind that had the same content, so that this one may be there twice. Null when there was none. " +
      "Decided when the import is pushed, over the last 400 days; failed, cancelled and wholly reversed imports and corrections do not count",
  ),
  unusual: extension(
    unusual.nullable(),
    "how many of its accepted rows are unusual, and so perhaps wrong; null where none is, until the import completes, and for shipments. " +
      "They count like any other",
  ),
});

/** A reversal of an import. */
export const reversalSchema = answerObject("Reversal", {
  reversalId: z.string().describe("Names the reversal"),
  at: instant("When it was recorded"),
  reason: z.string().describe("Why"),
  count: z.int().describe("How many activities or shipments"),
  all: z.boolean().describe("Whether it was the whole import"),
  rows: z
    .array(z.array(z.int()).length(2))
    .nullable()
    .describe("The rows, as first and last of neighbouring numbers; null for the whole import"),
});

const linkSeconds = 3_600;

/** Makes a new link for each answer. */
export async function importBody(view: ImportView, { objectStore }: ApiDeps, now: Date): Promise<z.infer<typeof importSchema>> {
  const { importId, reportKey } = view;
  const downloadName = `rejected-rows-${importId}.xlsx`;
  const link = { downloadName, expiresInSeconds: linkSeconds, now };
  return shownImport(view, reportKey === null ? null : await objectStore.link(reportKey, link));
}
