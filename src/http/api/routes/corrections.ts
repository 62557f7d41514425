import { requestCorrection } from "../../../commands/corrections/requestCorrection.js";
import { activityCorrectionPush, correctionPush } from "../../../domain/pushes/importPushes.js";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { defineRoute, type Route } from "../route.js";
import { acceptedActivities, acceptedAnswer, acceptedShipments, originOf, pushDeps, pushHeaders, roomInQueue } from "./acceptPush.js";
import { importKindRoutes, importParams } from "./importsShape.js";

const acceptedOf = { shipments: acceptedShipments, activities: acceptedActivities };
const pushOf = { shipments: correctionPush, activities: activityCorrectionPush };

const descriptions = {
  shipments: [
    "1 to 500 rejected rows of a completed import. `values` replace the submitted ones by column name, the rest stays as it was sent;",
    "they go in as a new import, whose `correctionOf` names this one. A row is corrected once, however often and by however many clients it is sent: of two",
    "corrections at the same time, the second one's row is rejected with `Already corrected by import <id>`. If the new import fails",
    "or is cancelled, the rows are open again. The rejected lines of a shipment are corrected together. A shipment that was accepted is",
    "corrected by pushing it again.",
  ],
  activities: [
    "1 to 500 rows of a completed import, rejected or accepted. `values` replace the submitted or recorded ones by column name, the rest stays as it was;",
    "they go in as a new import, whose `correctionOf` names this one. A row is corrected once, however often and by however many clients it is sent: of two",
    "corrections at the same time, the second one's row is rejected with `Already corrected by import <id>`. If the new import fails",
    "or is cancelled, rejected rows are open again. For accepted rows a `reason` is required. An accepted row counts until the new one does, and stops in the",
    "same moment; it goes on counting where the new row is rejected, or its import fails or is cancelled, and counts again when the new row is reversed.",
  ],
} as const;

export const correctionRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    method: "POST",
    path: `${base}/{importId}/corrections`,
    operationId: `correct${name}Rows`,
    summary: kind === "shipments" ? `Correct rejected rows of a ${noun} import` : `Correct rows of a ${noun} import`,
    description: descriptions[kind].join(" "),
    tag,
    scope: kind,
    extension: true,
    request: { params: importParams, headers: pushHeaders, body: pushOf[kind] },
    responses: {
      202: { description: "Queued", schema: acceptedOf[kind] },
      400: {
        description:
          "The body is not as described, names an unknown column or a part of a shipment, leaves out a value that was not kept whole or a reason that is required, or too many imports are queued",
      },
      404: { description: "No such import in the organisation" },
      409: { description: "A row cannot be corrected, or the import has not completed; the message says which and why" },
      422: { description: "The Idempotency-Key was used for another request" },
    },
    beforeBody: roomInQueue,
    handler: async (request, deps) => {
      const { params, body, caller, reserveDisk } = request;
      const { importId } = params;
      await requireImport(caller.organisationId, { kind, importId }, deps);
      const { catalogueVersion } = caller;
      const correction = { ...originOf(request), importId, kind, push: body, catalogueVersion, reserveDisk };
      return acceptedAnswer(await requestCorrection(pushDeps(deps), correction));
    },
  }),
);
