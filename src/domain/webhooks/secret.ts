import { createHmac } from "node:crypto";

/** Derived from SIGNING_SECRET and never stored, so that no table, event or backup holds it. */
export function webhookSecret(signingSecret: string, endpointId: string, generation: number): string {
  return `whsec_${createHmac("sha256", signingSecret).update(`webhook ${endpointId} ${generation}`).digest("base64")}`;
}

/** How long after a rotation the old secret signs beside the new one. */
export const overlapHours = 24;

/** The most secrets that sign at once, however often the secret is rotated. */
export const mostSecrets = 5;
