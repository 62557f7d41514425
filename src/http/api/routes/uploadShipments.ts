import { acceptedFile, pushHeaders, roomInQueue } from "../pushes/acceptPush.js";
import { acceptUpload, describeColumns, uploadForm } from "../pushes/acceptUpload.js";
import { defineRoute } from "../route.js";

export const uploadShipments = defineRoute({
  method: "POST",
  path: "/v1/org/shipments/imports/file",
  operationId: "uploadShipments",
  summary: "Import shipments (file)",
  description: `A .csv or .xlsx file with one row per goods line; lines of one shipmentId belong together wherever they stand. ${describeColumns("shipments")}`,
  tag: "Shipment imports",
  request: { headers: pushHeaders, multipart: uploadForm },
  responses: {
    202: { description: "Queued", schema: acceptedFile },
    400: {
      description: "The file is missing, empty, unreadable, of another type, its header row does not match, or too many imports are queued",
    },
    408: { description: "The upload stalled: nothing arrived for 30 seconds" },
    413: { description: "The file is larger than 50 MB" },
    422: { description: "The Idempotency-Key was used for another request" },
  },
  beforeBody: roomInQueue,
  handler: (request, deps) => acceptUpload(deps, "shipments", request),
});
