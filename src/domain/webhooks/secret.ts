import { createHmac } from "node:crypto";

/** Derived and never stored: whoever has SIGNING_SECRET can make it again, and nobody can read it from a table, an event or a backup. */
export function webhookSecret(signingSecret: string, endpointId: string, generation: number): string {
  return `whsec_${createHmac("sha256", signingSecret).update(`webhook ${endpointId} ${generation}`).digest("base64")}`;
}

/** For so long after a rotation the old secret signs beside the new one. */
export const overlapHours = 24;
