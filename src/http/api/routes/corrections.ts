import { completedImport, expectOpen } from "../../../commands/corrections/expectOpen.js";
import { expectWholeShipments } from "../../../commands/corrections/shipmentLines.js";
import { deadlineIn } from "../../../commands/deadline.js";
import { correctedFile } from "../../../domain/pushes/correctedFile.js";
import { type CorrectionPush, correctionPush } from "../../../domain/pushes/correctionPush.js";
import type { ImportKind } from "../../../events/importEvents.js";
import { rowsToCorrect } from "../../../queries/rowsToCorrect.js";
import type { ApiDeps } from "../deps.js";
import { acceptData, acceptedActivities, acceptedShipments, pushHeaders, roomInQueue, withinMs } from "../pushes/acceptPush.js";
import { type Caller, defineRoute, type Route } from "../route.js";
import { importKindRoutes, importParams, requireImport } from "./importsShape.js";

const accepted = { shipments: acceptedShipments, activities: acceptedActivities };

export const correctionRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    method: "POST",
    path: `${base}/{importId}/corrections`,
    operationId: `correct${name}Rows`,
    summary: `Correct rejected rows of a ${noun} import`,
    description: [
      "1 to 500 rejected rows of a completed import. `values` replace the submitted ones by column name, the rest stays as it was sent;",
      "they go in as a new import, whose `correctionOf` names this one. A row is corrected once, whoever sends it how often: of two",
      "corrections at the same time, the second one's row is rejected with `Already corrected by import <id>`. If the new import fails",
      ...(kind === "shipments"
        ? ["or is cancelled, the rows are open again. The rejected lines of a shipment are corrected together."]
        : ["or is cancelled, the rows are open again."]),
    ].join(" "),
    tag,
    extension: true,
    request: { params: importParams, headers: pushHeaders, body: correctionPush },
    responses: {
      202: { description: "Queued", schema: accepted[kind] },
      400: {
        description:
          "The body is not as described, names an unknown column or a part of a shipment, leaves out a value that was not kept whole, or too many imports are queued",
      },
      404: { description: "No such import in the organisation" },
      409: { description: "A row is not open, or the import has not completed; the message says which and why" },
      422: { description: "The Idempotency-Key was used for another request" },
    },
    beforeBody: roomInQueue,
    handler: async ({ params: { importId }, headers, body, caller, holdOnDisk }, deps) => {
      await requireImport(caller, kind, importId, deps);
      const { file, check } = await prepare(deps, caller, { kind, importId, body });
      return acceptData(
        deps,
        caller,
        { lines: file.lines, bytes: file.bytes, hold: holdOnDisk },
        {
          kind,
          sourceDetails: `Correction of import ${importId}`,
          elements: file.elements,
          corrects: { importId, rows: body.rows.map(({ row }) => row) },
          idempotencyKey: headers["idempotency-key"],
          check,
        },
      );
    },
  }),
);

/** What never changes is checked at once; whether the rows are open, only of what is not a repetition. */
async function prepare(
  deps: ApiDeps,
  caller: Caller,
  { kind, importId, body }: { kind: ImportKind; importId: string; body: CorrectionPush },
) {
  const { organisationId, catalogueVersion, admissionMs } = caller;
  const deadline = deadlineIn(withinMs - admissionMs);
  const rows = body.rows.map(({ row }) => row);
  const found = await deadline.within("event store", completedImport(deps, { organisationId, importId, kind }));
  await deadline.within("database", expectWholeShipments(deps.pool, found, rows));
  const sent = await deadline.within("database", rowsToCorrect(organisationId, { kind, importId, rows }, deps.pool));
  const { customFieldKeys } = await deps.catalogues(organisationId, catalogueVersion);
  const file = correctedFile(body, { kind, customFieldKeys, sentFor: (row) => sent.get(row) ?? null });
  return { file, check: () => deadline.within("event store", expectOpen(deps, found, rows)) };
}
