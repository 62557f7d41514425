import { requestCorrection } from "../../../commands/corrections/requestCorrection.js";
import { correctionPush } from "../../../domain/pushes/importPushes.js";
import type { ImportKind } from "../../../events/importEvents.js";
import { rowsToCorrect } from "../../../queries/rejectedRows/rowsToCorrect.js";
import { defineRoute, type Route } from "../route.js";
import { accepted, acceptedActivities, acceptedShipments, originOf, pushDeps, pushHeaders, roomInQueue } from "./acceptPush.js";
import { importKindRoutes, importParams, requireImport } from "./importsShape.js";

const acceptedOf = { shipments: acceptedShipments, activities: acceptedActivities };

export const correctionRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    method: "POST",
    path: `${base}/{importId}/corrections`,
    operationId: `correct${name}Rows`,
    summary: `Correct rejected rows of a ${noun} import`,
    description: [
      "1 to 500 rejected rows of a completed import. `values` replace the submitted ones by column name, the rest stays as it was sent;",
      "they go in as a new import, whose `correctionOf` names this one. A row is corrected once, however often and by however many clients it is sent: of two",
      "corrections at the same time, the second one's row is rejected with `Already corrected by import <id>`. If the new import fails",
      ...(kind === "shipments"
        ? ["or is cancelled, the rows are open again. The rejected lines of a shipment are corrected together."]
        : ["or is cancelled, the rows are open again."]),
    ].join(" "),
    tag,
    extension: true,
    request: { params: importParams, headers: pushHeaders, body: correctionPush },
    responses: {
      202: { description: "Queued", schema: acceptedOf[kind] },
      400: {
        description:
          "The body is not as described, names an unknown column or a part of a shipment, leaves out a value that was not kept whole, or too many imports are queued",
      },
      404: { description: "No such import in the organisation" },
      409: { description: "A row is not open, or the import has not completed; the message says which and why" },
      422: { description: "The Idempotency-Key was used for another request" },
    },
    beforeBody: roomInQueue,
    handler: async (request, deps) => {
      const { params, body, caller, holdOnDisk } = request;
      const { importId } = params;
      await requireImport(caller, kind, importId, deps);
      const { organisationId, catalogueVersion } = caller;
      const sent = (_: ImportKind, rows: readonly number[]) => rowsToCorrect(organisationId, { kind, importId, rows }, deps.pool);
      const correction = { ...originOf(request), importId, kind, push: body, catalogueVersion, hold: holdOnDisk, sent };
      return accepted(await requestCorrection(pushDeps(deps), correction));
    },
  }),
);
