// Where a request comes from, for the log and for slowing down wrong passwords.
import { type BlockList, isIP, isIPv4 } from "node:net";
import type { Context } from "hono";
import { isWithin } from "../../../domain/addressRanges.js";
import type { AppEnv } from "../../server/requestFrame.js";

export const addressOf = ({ env, req }: Context<AppEnv>, trustedProxies: BlockList): string =>
  clientAddress(env?.incoming?.socket.remoteAddress, req.header("x-forwarded-for"), trustedProxies);

/**
 * The peer's address. Of a trusted proxy: the address that it names in X-Forwarded-For, which is the last one; where that is a trusted proxy
 * too, the one before it, and so on. Anyone else could have written the header. An IPv6 network of one customer counts as one address.
 */
export function clientAddress(peer: string | undefined, forwardedFor: string | undefined, trustedProxies: BlockList): string {
  let nearest = plain(peer ?? "");
  const named = (forwardedFor ?? "").split(",").map(plain);
  while (isWithin(trustedProxies, nearest)) {
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
  const [head = "", tail] = address.toLowerCase().split("::");
  const front = head.split(":").filter(Boolean);
  const back = tail?.split(":").filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array<string>(Math.max(0, zeros)).fill("0"), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
