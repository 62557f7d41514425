// Finds the addresses of a name. It asks the name servers directly: the system's own look-up runs on a few threads that the whole process
// shares, and a name server that does not answer would block them all.
import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";

export type LookUp = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const localhost = /^(?:.+\.)?localhost\.?$/i;

export const lookUp: LookUp = async (host, signal) => {
  if (isIP(host)) return [host];
  if (localhost.test(host)) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
    if (addresses.length === 0 && found[0].status === "rejected") throw found[0].reason;
    return addresses;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
};
