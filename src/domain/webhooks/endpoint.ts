// src/domain/webhooks has the rules of webhook endpoints. This file: when a delivery is tried again, and how secrets are made.
import { createHmac } from "node:crypto";

const hour = 3_600_000;

/** An endpoint that fails this long without a success is paused. A delivery that fails this long while others succeed is given up. */
export const maxFailingMs = 72 * hour;

/** The pause between a failed attempt of a delivery and the next attempt. */
export const retryPauses = { firstMs: 5_000, maxMs: hour };

/** An endpoint whose last attempts failed gets one delivery at a time, this far apart, until one succeeds. */
export const probePauses = { firstMs: 1_000, maxMs: 60_000 };

/** Derived from SIGNING_SECRET and never stored, so that no table, event or backup holds it. */
export const webhookSecret = (signingSecret: string, endpointId: string, generation: number): string =>
  `whsec_${createHmac("sha256", signingSecret).update(`webhook ${endpointId} ${generation}`).digest("base64")}`;

/** How long after a rotation the old secret signs beside the new one. */
export const secretOverlapHours = 24;

/** The most secrets that sign one delivery, however often the secret is rotated. */
export const maxSecrets = 5;
