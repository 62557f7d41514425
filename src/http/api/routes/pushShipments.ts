import { limits } from "../../../domain/imports/limits.js";
import { couldBeTaken, shipmentPush, shipmentPushFaults } from "../../../domain/pushes/importPushes.js";
import { shipmentsFileBytes, shipmentsToCsv } from "../../../domain/pushes/toFile.js";
import { Rejection } from "../../../domain/rejection.js";
import { acceptData, acceptedShipments, pushHeaders, roomInQueue } from "../pushes/acceptPush.js";
import { defineRoute } from "../route.js";

export const pushShipments = defineRoute({
  method: "POST",
  path: "/v1/org/shipments/imports",
  operationId: "pushShipments",
  summary: "Import shipments (JSON)",
  description: `1 to 1000 shipments with 1 to 500 goods lines each, at most 10,000 lines in all. Shipments are matched on shipmentId. A push becomes a CSV file in which every goods line repeats its shipment's fields; that file may have at most 50 MB (${limits.pushFileBytes.toLocaleString("en")} bytes).`,
  tag: "Shipment imports",
  request: { headers: pushHeaders, body: shipmentPush },
  responses: {
    202: { description: "Queued", schema: acceptedShipments },
    400: { description: "The body is not as described, a limit is passed, or too many imports are queued" },
    422: { description: "The Idempotency-Key was used for another request" },
  },
  beforeBody: roomInQueue,
  handler: async ({ headers, body, caller, holdOnDisk }, deps) => {
    const check = async () => {
      const catalogue = await deps.catalogues(caller.organisationId, caller.catalogueVersion);
      const faults = shipmentPushFaults(body, catalogue.customFieldKeys);
      if (faults.length > 0) throw new Rejection("invalid", "The body is not as described", faults);
    };
    if (!couldBeTaken(body)) await check();
    return acceptData(
      deps,
      caller,
      { lines: shipmentsToCsv(body), bytes: shipmentsFileBytes(body), hold: holdOnDisk },
      {
        kind: "shipments",
        sourceDetails: body.sourceDetails ?? "API push",
        elements: body.shipments.length,
        idempotencyKey: headers["idempotency-key"],
        check,
      },
    );
  },
});
