import { z } from "zod";
import { reverseRows } from "../../../commands/reversals/reverseRows.js";
import { limits } from "../../../domain/imports/limits.js";
import { reasonSchema } from "../../../domain/pushes/values.js";
import type { ImportKind } from "../../../events/importEvents.js";
import { importReversals } from "../../../queries/imports/importReversals.js";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { readPage } from "../../../queries/rowPage.js";
import { answerObject } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../listQuery.js";
import { defineRoute, extensionGet, type Route } from "../route.js";
import { importKindRoutes, importParams, reversalSchema } from "./importsShape.js";

const maxRow = 2_147_483_647; // the largest `integer` of Postgres

const reversalOptions = {
  reason: reasonSchema.describe("Why. Shown to everybody who can see the import"),
  includeCorrections: z.boolean().default(false).describe("Whether to reverse also the rows of other imports that corrected these rows"),
  preview: z.boolean().default(false).describe("Whether to answer the same figures and record nothing"),
};

const wholeImport = z.literal(true).describe("The whole import; its open rejected rows are withdrawn");

const bodySchemas = {
  shipments: z
    .strictObject({
      all: wholeImport.optional(),
      shipmentIds: z
        .array(z.string().min(1).max(limits.identifierLength))
        .min(1)
        .max(limits.rowsPerReversal)
        .optional()
        .describe("These shipments, each with all its goods lines"),
      ...reversalOptions,
    })
    .refine((body) => (body.all === undefined) !== (body.shipmentIds === undefined), "must have either all or shipmentIds")
    .meta({ id: "ShipmentReversal" }),
  activities: z
    .strictObject({
      all: wholeImport.optional(),
      rows: z.array(z.int().min(1).max(maxRow)).min(1).max(limits.rowsPerReversal).optional().describe("These rows, by their numbers"),
      ...reversalOptions,
    })
    .refine((body) => (body.all === undefined) !== (body.rows === undefined), "must have either all or rows")
    .meta({ id: "ActivityReversal" }),
};

const correctingImport = answerObject("CorrectingImport", {
  importId: z.string().describe("The import that corrected them"),
  rows: z.array(z.int()).describe("The numbers of the corrected rows in the reversed import"),
});

const reversalOutcome = answerObject("ReversalOutcome", {
  reversalId: z.string().nullable().describe("Null in a preview, and if there was nothing left to reverse"),
  importId: z.string().describe("The import"),
  reversed: z.int().describe("Activities or shipments reversed by this call"),
  alreadyReversed: z.int().describe("Those that had already been reversed"),
  superseded: z.int().describe("Reversed versions of shipments that a later push had already replaced"),
  reopened: z.int().describe("Rejected rows of other imports that are open again because their correction was reversed"),
  withdrawn: z.int().describe("Open rejected rows of this import, which are now closed"),
  corrections: z
    .array(correctingImport)
    .describe("Imports that corrected rows of this one. Their rows are reversed only with `includeCorrections`"),
});

const reversalPage = pageSchema(reversalSchema, "Reversals");

const effects: Record<ImportKind, string> = {
  shipments:
    "For each shipment, the ledger then shows the latest version that is not reversed. Without one, the shipment is not in the ledger.",
  activities: "A reversed activity counts in no total; `reversed=include` lists it.",
};

export const reversalRoutes: readonly Route[] = importKindRoutes.flatMap(({ kind, base, tag, noun, name }) => [
  defineRoute({
    method: "POST",
    path: `${base}/{importId}/reversals`,
    operationId: `reverse${name}Rows`,
    summary: `Take back what a ${noun} import wrote`,
    description: `The whole import, or 1 to ${limits.rowsPerReversal} of its ${kind}. Nothing is erased, and a row is reversed at most once. ${effects[kind]}`,
    tag,
    scope: kind,
    extension: true,
    request: { params: importParams, body: bodySchemas[kind] },
    responses: {
      200: { description: "What was reversed, and its consequences", schema: reversalOutcome },
      400: { description: "The body is not as described" },
      404: { description: "No such import in the organisation" },
      409: { description: "The import has not completed, or a correction of its rows is queued or running; the message names it" },
      422: { description: "Rows that the import has not accepted; the message names them" },
    },
    handler: async ({ params: { importId }, body, caller }, deps) => {
      const { organisationId, by, requestId } = caller;
      await requireImport(caller.organisationId, { kind, importId }, deps);
      const { restored: _, ...answer } = await reverseRows(deps, {
        organisationId,
        importId,
        kind,
        selection: selectionOf(body),
        reason: body.reason,
        includeCorrections: body.includeCorrections,
        preview: body.preview,
        by,
        requestId,
        now: caller.now,
      });
      return { status: 200, body: answer };
    },
  }),
  defineRoute({
    ...extensionGet,
    path: `${base}/{importId}/reversals`,
    operationId: `list${name}Reversals`,
    summary: `List the reversals of a ${noun} import, oldest first`,
    tag,
    request: { params: importParams, query: pageQuery },
    responses: {
      200: { description: "A page of reversals", schema: reversalPage },
      400: { description: "Malformed cursor or limit" },
      404: { description: "No such import in the organisation" },
    },
    handler: async ({ params: { importId }, query, caller }, deps) => {
      const { organisationId } = caller;
      await requireImport(caller.organisationId, { kind, importId }, deps);
      const page = readPage(
        pageRequest(query, deps),
        ["reversals", organisationId, importId],
        (after, count) => importReversals(organisationId, importId, { after: after?.[0], count }, deps.pool),
        {
          cursorValues: ({ position }) => [position],
          itemOf: ({ position: _, actor: __, at, ...each }) => ({ ...each, at: at.toISOString() }),
        },
      );
      return answerPage(page);
    },
  }),
]);

function selectionOf(body: { all?: true | undefined; rows?: number[] | undefined; shipmentIds?: string[] | undefined }) {
  if (body.rows) return { rows: body.rows };
  return body.shipmentIds ? { shipmentIds: body.shipmentIds } : ({ all: true } as const);
}
