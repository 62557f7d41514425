import { z } from "zod";
import type { ImportKind } from "../../../events/importEvents.js";
import { requireCountedImport } from "../../../queries/imports/importStatus.js";
import { listRejectedRows, type RejectedRow } from "../../../queries/rejectedRows/listRejectedRows.js";
import { rowStateNames } from "../../../queries/rejectedRows/rowStates.js";
import { answerObject } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../listQuery.js";
import { defineRoute, type Route } from "../route.js";
import { importKindRoutes, importParams } from "./importsShape.js";

const rowState = z.enum(rowStateNames).meta({ id: "RowState" });

const sharedFields = {
  error: z.string().describe("Why the row was rejected"),
  data: z
    .record(z.string(), z.string())
    .describe("The values sent for the row, by column name. A value that was shortened ends in `... [cut short]`"),
  row: z.int().describe("Extension: the row's number in the file (the header is 1), or its ordinal in the JSON push"),
  state: rowState
    .nullable()
    .describe(
      "Extension: open, submitted (a correction is queued or running), corrected, dismissed, superseded (a later push, or a later element of the same push, wrote its shipment), or withdrawn (its whole import was reversed). Null unless the import has completed",
    ),
};

const rejectionQuery = pageQuery.extend({
  state: rowState
    .optional()
    .describe("Extension: only rows in this state. A page may then be shorter than its limit, or empty, with a cursor for the rest"),
});

const rejectedRowSchemas = {
  shipments: answerObject("RejectedShipmentRow", {
    shipmentId: z.string().describe("The row's shipmentId; empty if it had none"),
    ...sharedFields,
  }),
  activities: answerObject("RejectedActivityRow", {
    reference: z.string().nullable().describe("The row's reference; null if it had none"),
    ...sharedFields,
  }),
};

export const rejectionRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    method: "GET",
    path: `${base}/{importId}/errors`,
    operationId: `listRejected${name}Rows`,
    summary: `List the rejected rows of a ${noun} import`,
    tag,
    scope: "read",
    request: { params: importParams, query: rejectionQuery },
    responses: {
      200: {
        description: "A page of rejected rows, in row order. It ends at 4 MiB, with a cursor for the rest",
        schema: pageSchema(rejectedRowSchemas[kind], `Rejected${name === "Shipment" ? "Shipment" : "Activity"}Rows`),
      },
      400: { description: "Malformed cursor, limit or state" },
      404: { description: "No such import in the organisation" },
    },
    handler: async ({ params: { importId }, query: { state, ...pageParameters }, caller }, deps) => {
      await requireCountedImport(caller.organisationId, { kind, importId }, deps);
      const page = listRejectedRows(caller.organisationId, { kind, importId, state }, pageRequest(pageParameters, deps), deps.pool);
      return answerPage(page, (row) => rowBody(kind, row));
    },
  }),
);

const rowBody = (kind: ImportKind, { handle, ...rest }: RejectedRow) =>
  kind === "shipments" ? { shipmentId: handle ?? "", ...rest } : { reference: handle, ...rest };
