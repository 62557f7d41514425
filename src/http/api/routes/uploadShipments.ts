import { pushHeaders, roomInQueue } from "../pushes/acceptPush.js";
import { acceptUpload, describeColumns, uploadForm, uploadResponses } from "../pushes/acceptUpload.js";
import { defineRoute } from "../route.js";

export const uploadShipments = defineRoute({
  method: "POST",
  path: "/v1/org/shipments/imports/file",
  operationId: "uploadShipments",
  summary: "Import shipments (file)",
  description: `A .csv or .xlsx file with one row per goods line; lines of one shipmentId belong together wherever they stand. ${describeColumns("shipments")}`,
  tag: "Shipment imports",
  request: { headers: pushHeaders, multipart: uploadForm },
  responses: uploadResponses,
  beforeBody: roomInQueue,
  handler: (request, deps) => acceptUpload(deps, "shipments", request),
});
