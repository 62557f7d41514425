// Endpoint 7's body. The required fields are checked here, by path; the rest of the row is the importer's.
import { z } from "zod";
import { limits } from "../imports/limits.js";
import { sourceDetails } from "./text.js";
import { pushedFields } from "./values.js";

export const activityPush = z.strictObject({
  activities: z
    .array(z.strictObject(pushedFields("activity", "required")))
    .min(1)
    .max(limits.activitiesPerPush),
  sourceDetails: sourceDetails.optional(),
});
