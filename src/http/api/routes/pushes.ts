import { limits } from "../../../domain/imports/limits.js";
import { activityPush, mayBeAccepted, shipmentPush, shipmentPushFaults } from "../../../domain/pushes/importPushes.js";
import { activitiesFileBytes, activitiesToCsv, shipmentsFileBytes, shipmentsToCsv } from "../../../domain/pushes/toFile.js";
import { Rejection } from "../../../domain/rejection.js";
import { defineRoute, type Route } from "../route.js";
import {
  acceptData,
  acceptUpload,
  activitiesAccepted,
  describeColumns,
  pushHeaders,
  requireQueueRoom,
  shipmentsAccepted,
  uploadFormSchema,
  uploadResponses,
} from "./acceptPush.js";

const errorResponses = {
  400: { description: "The body is not as described, a limit is exceeded, or too many imports are queued" },
  422: { description: "The Idempotency-Key was used for another request" },
};

const pushShipments = defineRoute({
  method: "POST",
  path: "/v1/org/shipments/imports",
  operationId: "pushShipments",
  summary: "Import shipments (JSON)",
  description: `1 to 1000 shipments with 1 to 500 goods lines each, at most 10,000 lines in all. Shipments are matched on shipmentId. A push becomes a CSV file in which every goods line repeats its shipment's fields; that file may have at most 50 MB (${limits.pushFileBytes.toLocaleString("en")} bytes).`,
  tag: "Shipment imports",
  scope: "shipments",
  request: { headers: pushHeaders, body: shipmentPush },
  responses: { 202: { description: "Queued", schema: shipmentsAccepted }, ...errorResponses },
  beforeBody: requireQueueRoom,
  handler: async (request, deps) => {
    const { body, caller } = request;
    const check = async () => {
      const catalogue = await deps.catalogues(caller.organisationId, caller.catalogueVersion);
      const faults = shipmentPushFaults(body, catalogue.customFieldKeys);
      if (faults.length > 0) throw new Rejection("invalid", "The body is not as described", faults);
    };
    if (!mayBeAccepted(body)) await check();
    const [lines, bytes] = [shipmentsToCsv(body), shipmentsFileBytes(body)];
    return acceptData(deps, request, { kind: "shipments", elements: body.shipments.length, lines, bytes, check });
  },
});

const pushActivities = defineRoute({
  method: "POST",
  path: "/v1/org/fulfilment/activities",
  operationId: "pushActivities",
  summary: "Import activities (JSON)",
  description:
    "1 to 10,000 activities. Every push appends: sending the same batch twice records it twice, unless it carries an Idempotency-Key.",
  tag: "Fulfilment imports",
  scope: "activities",
  request: { headers: pushHeaders, body: activityPush },
  responses: { 202: { description: "Queued", schema: activitiesAccepted }, ...errorResponses },
  beforeBody: requireQueueRoom,
  handler: (request, deps) => {
    const { body } = request;
    const [lines, bytes] = [activitiesToCsv(body), activitiesFileBytes(body)];
    return acceptData(deps, request, { kind: "activities", elements: body.activities.length, lines, bytes });
  },
});

const uploadRoute = { method: "POST", request: { headers: pushHeaders, multipart: uploadFormSchema }, responses: uploadResponses } as const;

const uploadShipments = defineRoute({
  ...uploadRoute,
  path: "/v1/org/shipments/imports/file",
  operationId: "uploadShipments",
  summary: "Import shipments (file)",
  description: `A .csv or .xlsx file with one row per goods line; all lines with one shipmentId are one shipment, in any order. ${describeColumns("shipments")}`,
  tag: "Shipment imports",
  scope: "shipments",
  beforeBody: requireQueueRoom,
  handler: (request, deps) => acceptUpload(deps, "shipments", request),
});

const uploadActivities = defineRoute({
  ...uploadRoute,
  path: "/v1/org/fulfilment/activities/file",
  operationId: "uploadActivities",
  summary: "Import activities (file)",
  description: `A .csv or .xlsx file with one activity per row. ${describeColumns("activities")}`,
  tag: "Fulfilment imports",
  scope: "activities",
  beforeBody: requireQueueRoom,
  handler: (request, deps) => acceptUpload(deps, "activities", request),
});

export const pushRoutes: readonly Route[] = [pushShipments, uploadShipments, pushActivities, uploadActivities];
