// Endpoint 7's body. The four required fields are checked here, by path; the rest of the row is the importer's.
import { z } from "zod";
import { limits } from "../imports/limits.js";
import { requiredText, sourceDetails, text } from "./text.js";
import { recordableNumber, timestamp } from "./values.js";

const activity = z.strictObject({
  warehouseCode: requiredText(),
  chargeCode: requiredText(),
  quantity: recordableNumber.refine((value) => value !== 0, "must not be 0"),
  activityTimestamp: timestamp,
  customerId: text(limits.identifierLength).optional(),
  reference: text().optional(),
  status: text().optional(),
});

export const activityPush = z.strictObject({
  activities: z.array(activity).min(1).max(limits.activitiesPerPush),
  sourceDetails: sourceDetails.optional(),
});

export type ActivityPush = z.infer<typeof activityPush>;
