// What the routes about imports share: the two kinds with their paths, and the contract's Import.
import { z } from "zod";
import { unusualKinds } from "../../../domain/imports/unusual.js";
import type { ImportKind } from "../../../events/importEvents.js";
import { contractImport, type ImportView } from "../../../queries/imports/importView.js";
import type { ApiDeps } from "../deps.js";
import { answerObject, instant } from "../document/schemas.js";

export const importKindRoutes = [
  { kind: "shipments", base: "/v1/org/shipments/imports", tag: "Shipment imports", noun: "shipment", name: "Shipment" },
  { kind: "activities", base: "/v1/org/fulfilment/imports", tag: "Fulfilment imports", noun: "fulfilment", name: "Fulfilment" },
] as const satisfies readonly { kind: ImportKind; base: string; tag: string; noun: string; name: string }[];

export const importParams = z.object({ importId: z.string().describe("The `importId` from the answer to the push") });

export const unusualKind = z
  .enum(unusualKinds)
  .describe(
    "newCode: a charge or warehouse code that no activity had before. quantity: negative, or more than 20 times the largest of its charge code in 90 days. " +
      "time: more than 90 days before the push or 24 hours after it. noCustomer: no customer, though nearly all activities have one. repeated: the same activity was recorded before, or is twice in the file",
  );

const importCounts = answerObject("ImportCounts", {
  received: z.int().describe("Rows read; a shipment with three goods lines is three rows"),
  processed: z.int().describe("Shipments or activities written to the ledger"),
  failed: z.int().describe("Rows rejected. 0 in a fulfilment import until it ends"),
});

const correctedRows = answerObject("CorrectedRows", {
  importId: z.string().describe("The import whose rows are corrected"),
  rows: z.array(z.int()).describe("Numbers of the corrected rows, in the order of this import's rows"),
  reason: z.string().optional().describe("Why. Required for corrections of accepted rows"),
});

const unusualCounts = answerObject("UnusualCounts", {
  count: z.int().describe("How many rows. A row of several kinds counts once"),
  kinds: z
    .array(answerObject("UnusualKindCount", { kind: unusualKind, count: z.int().describe("How many rows are of this kind") }))
    .describe("By kind"),
});

const reversedRows = answerObject("ReversedRows", {
  rows: z.int().describe("How many activities or shipments are reversed"),
  all: z.boolean().describe("Whether these are all that the import recorded"),
  at: instant("When the last of them was reversed"),
});

/** Marks a field that the published contract does not have. */
const asExtension = <Field extends z.ZodType>(field: Field, meaning: string): Field =>
  field.describe(`Extension: ${meaning}`).meta({ "x-extension": true });

export const importSchema = answerObject("Import", {
  importId: z.string().describe("The import's id"),
  source: z.enum(["data", "file"]).describe("data for JSON, file for an upload"),
  status: z.enum(["queued", "processing", "completed", "failed", "cancelled"]).describe("See the states of an import"),
  progress: z.number().describe("0 to 100; 100 exactly when completed"),
  counts: importCounts.describe("Final once the import has ended"),
  sourceDetails: z.string().describe("Your reference for the push"),
  submittedAt: instant("When the push was accepted"),
  startedAt: instant("When it started; null while it is queued").nullable(),
  finishedAt: instant("When it ended; null until then").nullable(),
  errorMessage: z.string().nullable().describe("Why a failed import could not run"),
  errorReportUrl: z
    .string()
    .meta({ format: "uri" })
    .nullable()
    .describe(
      "Signed link to a spreadsheet of the rejected rows; expires after one hour. Null until the import finishes, and when nothing was rejected. " +
        "After a failed or cancelled import, and if the store lost it, it is ready within seconds",
    ),
  correctionOf: asExtension(correctedRows.optional(), "the rows of another import that this one corrects; absent if there are none"),
  reversed: asExtension(reversedRows.nullable(), "what was reversed; null if nothing was. The status does not change"),
  sameFileAs: asExtension(
    z.string().nullable(),
    "the latest earlier import with the same content and kind, or null. It is decided when the import is pushed, over the last 400 days. " +
      "Corrections, and failed, cancelled and wholly reversed imports, do not count",
  ),
  unusual: asExtension(
    unusualCounts.nullable(),
    "how many accepted rows are unusual, and so perhaps wrong. They are billed like all others. Null if there are none, until the import " +
      "completes, and for shipments",
  ),
});

/** A reversal of an import. */
export const reversalSchema = answerObject("Reversal", {
  reversalId: z.string().describe("The reversal's id"),
  at: instant("When it was recorded"),
  reason: z.string().describe("Why"),
  count: z.int().describe("How many activities or shipments"),
  all: z.boolean().describe("Whether it was the whole import"),
  rows: z
    .array(z.array(z.int()).length(2))
    .nullable()
    .describe("The rows as ranges, each its first and last number; null for the whole import"),
});

const linkLifetimeSeconds = 3_600;

/** The contract's Import, with a new link to its error report. */
export async function importBody(view: ImportView, { objectStore }: ApiDeps, now: Date): Promise<z.infer<typeof importSchema>> {
  const { importId, reportKey } = view;
  const downloadName = `rejected-rows-${importId}.xlsx`;
  const link = { downloadName, expiresInSeconds: linkLifetimeSeconds, now };
  return contractImport(view, reportKey === null ? null : await objectStore.link(reportKey, link));
}
