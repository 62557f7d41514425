// Sign-ins, refusals and slowing down, in the log and in the metrics. People are named by their id, or by a hash of the e-mail that needs
// our secret to be compared with an e-mail.

import type { BlockList } from "node:net";
import type { Context } from "hono";
import type { Logger } from "pino";
import type { NamelessMember } from "../../../commands/members/sessions.js";
import { hashEmail } from "../../../commands/members/signInPace.js";
import { emailKey } from "../../../domain/members.js";
import type { AppEnv, HttpMetrics } from "../../server/requestFrame.js";
import { addressOf } from "./clientAddress.js";

export type SignInWay = "password" | "single sign-on" | "link";

export interface SignInLog {
  signedIn(c: Context<AppEnv>, way: SignInWay, member: Pick<NamelessMember, "memberId" | "organisationId">): void;
  /** `why`: a few words of ours, never what was sent. */
  refused(c: Context<AppEnv>, way: SignInWay, why: string, email?: string): void;
  slowed(c: Context<AppEnv>, way: SignInWay, seconds: number, email: string): void;
}

export function createSignInLog(options: {
  readonly logger: Logger;
  readonly metrics: Pick<HttpMetrics, "signInEnded">;
  readonly signingSecret: string;
  readonly trustedProxies: BlockList;
}): SignInLog {
  const { logger, metrics, signingSecret, trustedProxies } = options;
  const from = (c: Context<AppEnv>) => ({ requestId: c.get("requestId"), address: addressOf(c, trustedProxies) });
  const who = (email?: string) => (email === undefined ? {} : { emailHash: hashEmail(signingSecret, "log", emailKey(email)).slice(0, 16) });
  return {
    signedIn: (c, way, { memberId, organisationId }) => {
      metrics.signInEnded({ way, outcome: "signed in" });
      logger.info({ ...from(c), way, memberId, organisationId }, "a member signed in");
    },
    refused: (c, way, why, email) => {
      metrics.signInEnded({ way, outcome: "refused" });
      logger.warn({ ...from(c), way, why, ...who(email) }, "a sign-in was refused");
    },
    slowed: (c, way, seconds, email) => {
      metrics.signInEnded({ way, outcome: "slowed" });
      logger.warn({ ...from(c), way, seconds, ...who(email) }, "a sign-in was told to wait");
    },
  };
}
