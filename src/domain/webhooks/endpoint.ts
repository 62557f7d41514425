// src/domain/webhooks: what an endpoint can be told, where it may be, its secrets, and how long it is tried.
import { createHmac } from "node:crypto";

const hour = 3_600_000;

/** An endpoint without a success for this long is paused. A single delivery that fails for this long, while others succeed, is given up. */
export const patienceMs = 72 * hour;

/** From an attempt of a delivery that failed to the next one. */
export const retryPauses = { firstMs: 5_000, mostMs: hour };

/** An endpoint whose last attempts failed gets one delivery at a time, this far apart, until one succeeds. */
export const probePauses = { firstMs: 1_000, mostMs: 60_000 };

/** Derived from SIGNING_SECRET and never stored, so that no table, event or backup holds it. */
export const webhookSecret = (signingSecret: string, endpointId: string, generation: number): string =>
  `whsec_${createHmac("sha256", signingSecret).update(`webhook ${endpointId} ${generation}`).digest("base64")}`;

/** How long after a rotation the old secret signs beside the new one. */
export const overlapHours = 24;

/** The most secrets that sign at once, however often the secret is rotated. */
export const mostSecrets = 5;
