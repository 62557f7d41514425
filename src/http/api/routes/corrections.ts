import { requestCorrection } from "../../../commands/corrections/requestCorrection.js";
import { activityCorrectionPush, correctionPush } from "../../../domain/pushes/importPushes.js";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { defineRoute, type Route } from "../route.js";
import { acceptedAnswer, activitiesAccepted, contextOf, pushDeps, pushHeaders, requireQueueRoom, shipmentsAccepted } from "./acceptPush.js";
import { importKindRoutes, importParams } from "./importsShape.js";

const answerSchemas = { shipments: shipmentsAccepted, activities: activitiesAccepted };
const bodySchemas = { shipments: correctionPush, activities: activityCorrectionPush };

const descriptions = {
  shipments: [
    "Corrects 1 to 500 rejected rows of a completed import. `values` replaces submitted values by column name; the other values stay.",
    "The rows become a new import, whose `correctionOf` names this one. Each row is corrected at most once: of two corrections at",
    "the same time, the second is rejected with `Already corrected by import <id>`. If the new import fails or is cancelled, the rows",
    "are open again. All rejected lines of a shipment must be corrected together. To correct an accepted shipment, push it again.",
  ],
  activities: [
    "Corrects 1 to 500 rows of a completed import, rejected or accepted. `values` replaces values by column name; the other values stay.",
    "The rows become a new import, whose `correctionOf` names this one. Each row is corrected at most once: of two corrections at",
    "the same time, the second is rejected with `Already corrected by import <id>`. If the new import fails or is cancelled, rejected",
    "rows are open again. Accepted rows need a `reason`. An accepted row counts until the new import completes; in that moment the new",
    "row replaces it. If the new row is rejected, or its import fails or is cancelled, the old one goes on counting; if the new row is",
    "reversed, the old one counts again.",
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
    request: { params: importParams, headers: pushHeaders, body: bodySchemas[kind] },
    responses: {
      202: { description: "Queued", schema: answerSchemas[kind] },
      400: {
        description:
          "The body is not as described, names an unknown column or only some lines of a shipment, lacks a required reason, or the whole text of a value that was stored shortened, or too many imports are queued",
      },
      404: { description: "No such import in the organisation" },
      409: { description: "A row cannot be corrected, or the import has not completed. The message says why" },
      422: { description: "The Idempotency-Key was used for another request" },
    },
    beforeBody: requireQueueRoom,
    handler: async (request, deps) => {
      const { params, body, caller, reserveDisk } = request;
      const { importId } = params;
      await requireImport(caller.organisationId, { kind, importId }, deps);
      const { catalogueVersion } = caller;
      const correction = { ...contextOf(request), importId, kind, push: body, catalogueVersion, reserveDisk };
      return acceptedAnswer(await requestCorrection(pushDeps(deps), correction));
    },
  }),
);
