// The body of a JSON push of activities. The required fields are checked here, by path; the importer checks the rest of each row.
import { z } from "zod";
import { limits } from "../imports/limits.js";
import { sourceDetails } from "./text.js";
import { pushedFields } from "./values.js";

const activity = z.strictObject(pushedFields("activity", "required")).meta({ id: "PushedActivity" });

export const activityPush = z
  .strictObject({
    activities: z.array(activity).min(1).max(limits.activitiesPerPush).describe("Each is recorded, and billed, by itself"),
    sourceDetails: sourceDetails.optional().describe("Your reference for this push; `API push` when left out"),
  })
  .meta({ id: "ActivityPush" });
