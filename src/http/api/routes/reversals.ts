import { z } from "zod";
import { reverseRows } from "../../../commands/reversals/reverseRows.js";
import { limits } from "../../../domain/imports/limits.js";
import { reason } from "../../../domain/pushes/values.js";
import type { ImportKind } from "../../../events/importEvents.js";
import { importReversals } from "../../../queries/imports/importReversals.js";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { readPage } from "../../../queries/rowPage.js";
import { answerObject } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../listQuery.js";
import { defineRoute, type Route, readBeyondContract } from "../route.js";
import { importKindRoutes, importParams, reversalSchema } from "./importsShape.js";

const highestRow = 2_147_483_647;

const options = {
  reason: reason.describe("Why; everybody who looks at the import sees it"),
  includeCorrections: z.boolean().default(false).describe("Whether the rows of other imports that corrected these are reversed as well"),
  preview: z.boolean().default(false).describe("Answers the same figures and records nothing"),
};

const all = z.literal(true).describe("The whole import; its open rejected rows are withdrawn");

const bodyOf = {
  shipments: z
    .strictObject({
      all: all.optional(),
      shipmentIds: z
        .array(z.string().min(1).max(limits.identifierLength))
        .min(1)
        .max(limits.rowsPerReversal)
        .optional()
        .describe("These shipments, each with all its goods lines"),
      ...options,
    })
    .refine((body) => (body.all === undefined) !== (body.shipmentIds === undefined), "must have either all or shipmentIds")
    .meta({ id: "ShipmentReversal" }),
  activities: z
    .strictObject({
      all: all.optional(),
      rows: z.array(z.int().min(1).max(highestRow)).min(1).max(limits.rowsPerReversal).optional().describe("These rows, by their numbers"),
      ...options,
    })
    .refine((body) => (body.all === undefined) !== (body.rows === undefined), "must have either all or rows")
    .meta({ id: "ActivityReversal" }),
};

const correctingImport = answerObject("CorrectingImport", {
  importId: z.string().describe("The import that corrected them"),
  rows: z.array(z.int()).describe("The numbers of the corrected rows in the reversed import"),
});

const outcome = answerObject("ReversalOutcome", {
  reversalId: z.string().nullable().describe("Null in a preview, and where nothing was left to reverse"),
  importId: z.string().describe("The import"),
  reversed: z.int().describe("Activities or shipments that are reversed by this call"),
  alreadyReversed: z.int().describe("Those that were reversed before"),
  superseded: z.int().describe("Of the reversed shipments: versions that a later push had already replaced"),
  reopened: z.int().describe("Rejected rows of other imports, which these had corrected, that are open again"),
  withdrawn: z.int().describe("Open rejected rows of this import that are taken off the list"),
  corrections: z.array(correctingImport).describe("Rows that other imports have corrected. They are reversed only with includeCorrections"),
});

const reversalPage = pageSchema(reversalSchema, "Reversals");

const effects: Record<ImportKind, string> = {
  shipments:
    "The ledger then shows of each shipment the version pushed last among those that are not reversed; a shipment with none left is not in the ledger.",
  activities: "A reversed activity counts in no total; `reversed=include` lists it.",
};

export const reversalRoutes: readonly Route[] = importKindRoutes.flatMap(({ kind, base, tag, noun, name }) => [
  defineRoute({
    method: "POST",
    path: `${base}/{importId}/reversals`,
    operationId: `reverse${name}Rows`,
    summary: `Take back what a ${noun} import wrote`,
    description: `The whole import, or 1 to ${limits.rowsPerReversal} of its ${kind}. Nothing is erased, and a row is reversed once, however often it is sent. ${effects[kind]}`,
    tag,
    scope: kind,
    extension: true,
    request: { params: importParams, body: bodyOf[kind] },
    responses: {
      200: { description: "What was reversed, and what follows from it", schema: outcome },
      400: { description: "The body is not as described" },
      404: { description: "No such import in the organisation" },
      409: { description: "The import has not completed, or a correction of its rows is under way; the message names it" },
      422: { description: "Rows that the import has not accepted; the message names them" },
    },
    handler: async ({ params: { importId }, body, caller }, deps) => {
      const { organisationId, by, requestId } = caller;
      await requireImport(caller.organisationId, { kind, importId }, deps);
      const { restored: _, ...answer } = await reverseRows(deps, {
        organisationId,
        importId,
        kind,
        what: selectionOf(body),
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
    ...readBeyondContract,
    path: `${base}/{importId}/reversals`,
    operationId: `list${name}Reversals`,
    summary: `List the reversals of a ${noun} import, the first one first`,
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
