import { pushHeaders, roomInQueue } from "../pushes/acceptPush.js";
import { acceptUpload, describeColumns, uploadForm, uploadResponses } from "../pushes/acceptUpload.js";
import { defineRoute } from "../route.js";

export const uploadActivities = defineRoute({
  method: "POST",
  path: "/v1/org/fulfilment/activities/file",
  operationId: "uploadActivities",
  summary: "Import activities (file)",
  description: `A .csv or .xlsx file with one activity per row. ${describeColumns("activities")}`,
  tag: "Fulfilment imports",
  request: { headers: pushHeaders, multipart: uploadForm },
  responses: uploadResponses,
  beforeBody: roomInQueue,
  handler: (request, deps) => acceptUpload(deps, "activities", request),
});
