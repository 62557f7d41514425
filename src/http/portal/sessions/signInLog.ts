// Reports successful, refused and delayed sign-ins to the process's log and the metrics. People are named by their id, or by a hash of
// their e-mail. Nobody can compare the hash with an e-mail without the service's secret.
import { type BlockList, isIP, isIPv4 } from "node:net";
import type { Context } from "hono";
import ipaddr from "ipaddr.js";
import type { VerifiedMemberRef } from "../../../commands/members/sessions.js";
import { hashEmail } from "../../../commands/members/signInPace.js";
import { isAddressWithin } from "../../../domain/addressRanges.js";
import { emailKey } from "../../../domain/members.js";
import type { SharedDeps } from "../../server/deps.js";
import type { AppEnv, HttpMetrics } from "../../server/requestMiddleware.js";

export type SignInWay = "password" | "single sign-on" | "link";

interface SignInLogDeps extends Pick<SharedDeps, "logger" | "signingSecret"> {
  readonly metrics: Pick<HttpMetrics, "recordSignIn">;
  readonly trustedProxies: BlockList;
}

export function createSignInLog({ logger, metrics, signingSecret, trustedProxies }: SignInLogDeps) {
  const requestFields = (c: Context<AppEnv>) => ({ requestId: c.get("requestId"), address: addressOf(c, trustedProxies) });
  const emailFields = (email?: string) =>
    email === undefined ? {} : { emailHash: hashEmail(signingSecret, "log", emailKey(email)).slice(0, 16) };
  return {
    signedIn: (c: Context<AppEnv>, way: SignInWay, { memberId, organisationId }: VerifiedMemberRef) => {
      metrics.recordSignIn({ way, outcome: "signed in" });
      logger.info({ ...requestFields(c), way, memberId, organisationId }, "a member signed in");
    },
    /** `why`: fixed words, never a text that the visitor sent. */
    refused: (c: Context<AppEnv>, way: SignInWay, why: string, email?: string) => {
      metrics.recordSignIn({ way, outcome: "refused" });
      logger.warn({ ...requestFields(c), way, why, ...emailFields(email) }, "a sign-in was refused");
    },
    slowed: (c: Context<AppEnv>, way: SignInWay, seconds: number, email: string) => {
      metrics.recordSignIn({ way, outcome: "slowed" });
      logger.warn({ ...requestFields(c), way, seconds, ...emailFields(email) }, "a sign-in was told to wait");
    },
  };
}

/** The client's address, for the log and for slowing down wrong passwords. */
export const addressOf = ({ env, req }: Context<AppEnv>, trustedProxies: BlockList): string =>
  clientAddress(env?.incoming?.socket.remoteAddress, req.header("x-forwarded-for"), trustedProxies);

/**
 * The peer's address. If the peer is a trusted proxy: the last address in X-Forwarded-For, or the last one before those of further trusted
 * proxies. The header of an untrusted peer is ignored. A /64 network of IPv6 counts as one address.
 */
export function clientAddress(peer: string | undefined, forwardedFor: string | undefined, trustedProxies: BlockList): string {
  let client = plainAddress(peer ?? "");
  const forwarded = (forwardedFor ?? "").split(",").map(plainAddress);
  while (isAddressWithin(trustedProxies, client)) {
    const before = forwarded.pop();
    if (before === undefined || isIP(before) === 0) break;
    client = before;
  }
  return networkOf(client);
}

/** Removes a port, brackets, a zone, and the IPv6 prefix of an IPv4 address. */
const plainAddress = (text: string): string => {
  const address = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^([\d.]+):\d+$/, "$1");
  const [withoutZone = ""] = address.split("%", 1);
  return withoutZone.replace(/^::ffff:(?=\d+\.)/i, "");
};

function networkOf(address: string): string {
  if (isIP(address) !== 6) return isIPv4(address) ? address : "unknown";
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
