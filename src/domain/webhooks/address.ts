// Which addresses a webhook may go to. Judges the address, not the host name: a name can resolve to another address at any time.
import ipaddr from "ipaddr.js";

export interface AddressRules {
  /** WEBHOOK_PRIVATE=on: private and loopback addresses are allowed, and http to loopback. */
  readonly allowPrivate: boolean;
}

const globalIPv6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Azure's metadata address: it lies in a public range, but answers only inside Azure's machines. */
const metadataAddresses = new Set(["168.63.129.16"]);

const rangeWords: Readonly<Record<string, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  carrierGradeNat: "a private address",
  linkLocal: "a link-local address",
  unspecified: "not the address of a host",
};

/** Why nothing may be sent to this address, or undefined. `address` is as a socket reports it. */
export function addressRefusal(address: string, protocol: string, { allowPrivate }: AddressRules): string | undefined {
  if (!ipaddr.isValid(address)) return `${address.slice(0, 100)} is not an address`;
  const parsed = ipaddr.process(address); // ::ffff:1.2.3.4 is 1.2.3.4
  const range = rangeOf(parsed);
  const isHttp = protocol === "http:";
  if (range === "unicast") return isHttp ? `${address} can be reached by https only` : undefined;
  const isPrivate = range === "private" || range === "uniqueLocal";
  if (allowPrivate && (range === "loopback" || (isPrivate && !isHttp))) return undefined;
  return `${address} is ${rangeWords[range] ?? "not a public address"}`;
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (metadataAddresses.has(address.toString())) return "linkLocal";
  const range = address.range();
  // IPv6 addresses outside the global range may stand for an IPv4 address, such as ::127.0.0.1.
  const isOutsideGlobalRange = range === "unicast" && address instanceof ipaddr.IPv6 && !address.match(globalIPv6);
  return isOutsideGlobalRange ? "reserved" : range;
}

export type CheckedUrl = { readonly url: string } | { readonly fault: string };

const maxUrlLength = 2_000;

/** The URL of an endpoint in the form to store, or what is wrong with it. The parser turns decimal and octal spellings into addresses. */
export function checkUrl(text: string, rules: AddressRules): CheckedUrl {
  const url = text.length <= maxUrlLength && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["https:", "http:"].includes(url.protocol) || url.hostname === "")
    return { fault: `The URL must be an https address of at most ${maxUrlLength} characters` };
  if (url.username !== "" || url.password !== "") return { fault: "The URL must carry no user and no password: it is shown and logged" };
  url.hash = "";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.protocol === "http:" && !(rules.allowPrivate && (isLocalhost(host) || ipaddr.isValid(host))))
    return { fault: `The URL must begin with https://${rules.allowPrivate ? "; http is for loopback only" : ""}` };
  const localhostRefusal = isLocalhost(host) && !rules.allowPrivate ? `${host} is a loopback address` : undefined;
  const refusal = localhostRefusal ?? (ipaddr.isValid(host) ? addressRefusal(host, url.protocol, rules) : undefined);
  return refusal ? { fault: `Nothing can be sent there: ${refusal}` } : { url: url.href };
}

export const isLocalhost = (host: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(host);
