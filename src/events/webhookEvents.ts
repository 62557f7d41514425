// An organisation's webhook endpoints, on its stream. This is a disk format. An endpoint's secret is never stored: it is derived.
import { z } from "zod";
import { principal } from "../domain/principal.js";

const instant = z.iso.datetime();
const caused = { endpointId: z.uuid(), by: principal, at: instant };
/** The types of events that the endpoint is told of. Types that a later version has added are kept. */
const events = z.array(z.string());

/** The endpoint's first secret has generation 1. */
const webhookAdded = z.object({ ...caused, url: z.string(), events });

/** The endpoint's settings from now on. A higher generation than before means a new secret; the previous one signs for a day more. */
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
