import { activityPush } from "../../../domain/pushes/importPushes.js";
import { activitiesFileBytes, activitiesToCsv } from "../../../domain/pushes/toFile.js";
import { acceptData, acceptedActivities, pushHeaders, roomInQueue } from "../pushes/acceptPush.js";
import { defineRoute } from "../route.js";

export const pushActivities = defineRoute({
  method: "POST",
  path: "/v1/org/fulfilment/activities",
  operationId: "pushActivities",
  summary: "Import activities (JSON)",
  description:
    "1 to 10,000 activities. Every push appends: sending the same batch twice records it twice, unless it carries an Idempotency-Key.",
  tag: "Fulfilment imports",
  request: { headers: pushHeaders, body: activityPush },
  responses: {
    202: { description: "Queued", schema: acceptedActivities },
    400: { description: "The body is not as described, a limit is passed, or too many imports are queued" },
    422: { description: "The Idempotency-Key was used for another request" },
  },
  beforeBody: roomInQueue,
  handler: ({ headers, body, caller, holdOnDisk }, deps) =>
    acceptData(
      deps,
      caller,
      { lines: activitiesToCsv(body), bytes: activitiesFileBytes(body), hold: holdOnDisk },
      {
        kind: "activities",
        sourceDetails: body.sourceDetails ?? "API push",
        elements: body.activities.length,
        idempotencyKey: headers["idempotency-key"],
      },
    ),
});
