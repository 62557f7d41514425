// Where a request comes from, as far as slowing down wrong passwords needs it.
import { BlockList, isIP, isIPv4 } from "node:net";

const near = new BlockList();
near.addSubnet("127.0.0.0", 8);
near.addSubnet("10.0.0.0", 8);
near.addSubnet("172.16.0.0", 12);
near.addSubnet("192.168.0.0", 16);
near.addSubnet("169.254.0.0", 16);
near.addAddress("::1", "ipv6");
near.addSubnet("fc00::", 7, "ipv6");
near.addSubnet("fe80::", 10, "ipv6");

/**
 * The peer's address. Behind a reverse proxy on this machine or network: the address that the proxy reports, which is the last entry of
 * X-Forwarded-For. An IPv6 network of one customer counts as one address.
 */
export function clientAddress(peer: string | undefined, forwardedFor: string | undefined): string {
  const direct = plain(peer ?? "");
  const told = plain(forwardedFor?.split(",").at(-1) ?? "");
  return network(isNear(direct) && isIP(told) !== 0 ? told : direct);
}

const plain = (text: string): string => text.trim().replace(/^::ffff:(?=\d+\.)/i, "");

const isNear = (address: string): boolean => isIP(address) !== 0 && near.check(address, isIPv4(address) ? "ipv4" : "ipv6");

function network(address: string): string {
  if (isIP(address) !== 6) return isIPv4(address) ? address : "unknown";
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const front = head.split(":").filter(Boolean);
  const back = tail?.split(":").filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array<string>(Math.max(0, zeros)).fill("0"), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
