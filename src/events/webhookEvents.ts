// An organisation's webhook endpoints, on its stream. This is a disk format. The secret is nowhere in it: it is derived.
import { z } from "zod";
import { principal } from "../domain/principal.js";

const instant = z.iso.datetime();
const caused = { endpointId: z.uuid(), by: principal, at: instant };
/** Types of what it is told; those that a later version has added are kept. */
const events = z.array(z.string());

/** Its secret's generation is 1. */
const webhookAdded = z.object({ ...caused, url: z.string(), events });

/** Everything as it is from now on. A generation higher than before is a new secret; the one before it signs for a day more. */
const webhookChanged = z.object({ ...caused, url: z.string(), events, generation: z.number().int() });

const webhookRemoved = z.object({ ...caused, reason: z.string().optional() });
const webhookPaused = z.object({ ...caused, reason: z.string().optional() });
const webhookResumed = z.object(caused);

export const webhookEvents = {
  WebhookAdded: webhookAdded,
  WebhookChanged: webhookChanged,
  WebhookRemoved: webhookRemoved,
  WebhookPaused: webhookPaused,
  WebhookResumed: webhookResumed,
} as const;
