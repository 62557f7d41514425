// Sign-ins, refusals and slowing down, in the log and in the metrics. People are named by their id, or by a hash of the e-mail that needs
// our secret to be compared with an e-mail.
import { type BlockList, isIP, isIPv4 } from "node:net";
import type { Context } from "hono";
import ipaddr from "ipaddr.js";
import type { NamelessMember } from "../../../commands/members/sessions.js";
import { hashEmail } from "../../../commands/members/signInPace.js";
import { isAddressWithin } from "../../../domain/addressRanges.js";
import { emailKey } from "../../../domain/members.js";
import type { AppEnv, HttpMetrics } from "../../server/aroundRequest.js";
import type { SharedDeps } from "../../server/deps.js";

export type SignInWay = "password" | "single sign-on" | "link";

interface SignInLogDeps extends Pick<SharedDeps, "logger" | "signingSecret"> {
  readonly metrics: Pick<HttpMetrics, "signInEnded">;
  readonly trustedProxies: BlockList;
}

export function createSignInLog({ logger, metrics, signingSecret, trustedProxies }: SignInLogDeps) {
  const from = (c: Context<AppEnv>) => ({ requestId: c.get("requestId"), address: addressOf(c, trustedProxies) });
  const who = (email?: string) => (email === undefined ? {} : { emailHash: hashEmail(signingSecret, "log", emailKey(email)).slice(0, 16) });
  return {
    signedIn: (c: Context<AppEnv>, way: SignInWay, { memberId, organisationId }: Pick<NamelessMember, "memberId" | "organisationId">) => {
      metrics.signInEnded({ way, outcome: "signed in" });
      logger.info({ ...from(c), way, memberId, organisationId }, "a member signed in");
    },
    /** `why`: a few words of ours, never what was sent. */
    refused: (c: Context<AppEnv>, way: SignInWay, why: string, email?: string) => {
      metrics.signInEnded({ way, outcome: "refused" });
      logger.warn({ ...from(c), way, why, ...who(email) }, "a sign-in was refused");
    },
    slowed: (c: Context<AppEnv>, way: SignInWay, seconds: number, email: string) => {
      metrics.signInEnded({ way, outcome: "slowed" });
      logger.warn({ ...from(c), way, seconds, ...who(email) }, "a sign-in was told to wait");
    },
  };
}

/** Where a request comes from, for the log and for slowing down wrong passwords. */
export const addressOf = ({ env, req }: Context<AppEnv>, trustedProxies: BlockList): string =>
  clientAddress(env?.incoming?.socket.remoteAddress, req.header("x-forwarded-for"), trustedProxies);

/**
 * The peer's address. Of a trusted proxy: the address that it names in X-Forwarded-For, which is the last one; where that is a trusted proxy
 * too, the one before it, and so on. Anyone else could have written the header. An IPv6 network of one customer counts as one address.
 */
export function clientAddress(peer: string | undefined, forwardedFor: string | undefined, trustedProxies: BlockList): string {
  let nearest = plain(peer ?? "");
  const named = (forwardedFor ?? "").split(",").map(plain);
  while (isAddressWithin(trustedProxies, nearest)) {
    const before = named.pop();
    if (before === undefined || isIP(before) === 0) break;
    nearest = before;
  }
  return network(nearest);
}

/** Without a port, brackets, a zone, or the IPv6 form of an IPv4 address. */
const plain = (text: string): string => {
  const address = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^([\d.]+):\d+$/, "$1");
  const [withoutZone = ""] = address.split("%", 1);
  return withoutZone.replace(/^::ffff:(?=\d+\.)/i, "");
};

function network(address: string): string {
  if (isIP(address) !== 6) return isIPv4(address) ? address : "unknown";
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
