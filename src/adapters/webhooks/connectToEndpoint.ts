// Connects to an endpoint. Its address is checked before the connection is made, and again on the socket itself before anything is sent.
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";

/** Nothing may be sent to this address. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

export interface EndpointAddress {
  readonly url: URL;
  readonly whyNot: (address: string) => string | undefined;
  readonly lookUp: LookUp;
  /** Certificates to trust beside the system's own. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
}

/** How many of a name's addresses are tried. */
const mostAddresses = 3;
const handshakeMs = 10_000;

export async function connectToEndpoint({ url, whyNot, lookUp, ca, signal }: EndpointAddress): Promise<Socket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isPlain = url.protocol === "http:";
  const port = Number(url.port) || (isPlain ? 80 : 443);
  const found = await lookUp(host, signal);
  const allowed = found.filter((address) => whyNot(address) === undefined);
  const [first] = found;
  if (first === undefined) throw new Error("its name has no address");
  if (allowed.length === 0) throw new RefusedAddress(whyNot(first));
  const socket = await firstThatConnects(allowed.slice(0, mostAddresses), port, signal);
  const refused = whyNot(socket.remoteAddress ?? "");
  if (refused !== undefined) {
    socket.destroy();
    throw new RefusedAddress(refused);
  }
  return isPlain ? socket : secured(socket, host, ca, signal);
}

async function firstThatConnects(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    try {
      return await connected(connectTcp({ host, port }), "connect", signal);
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}

function secured(socket: Socket, host: string, ca: string | undefined, signal: AbortSignal): Promise<Socket> {
  const isName = !/^[\d.]+$|:/.test(host);
  const tls = connectTls({ socket, host, secureContext: contextFor(ca), ...(isName ? { servername: host } : {}) });
  return connected(tls, "secureConnect", AbortSignal.any([signal, AbortSignal.timeout(handshakeMs)]));
}

const contexts = new Map<string | undefined, SecureContext>();

/** Made once: to read the system's certificates for every connection would take longer than anything else here. */
function contextFor(ca: string | undefined): SecureContext {
  const context = contexts.get(ca) ?? createSecureContext(ca === undefined ? {} : { ca });
  contexts.set(ca, context);
  return context;
}

async function connected<S extends Socket>(socket: S, event: "connect" | "secureConnect", signal: AbortSignal): Promise<S> {
  const waiting = new AbortController();
  const closed = once(socket, "close", { signal: waiting.signal }).then(() => {
    throw new Error("the connection was closed");
  });
  try {
    await Promise.race([once(socket, event, { signal }), closed]);
    socket.on("error", () => undefined); // later errors reach the request that uses the socket; this keeps them from ending the process
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    waiting.abort();
  }
}

/**
 * Finds the addresses of a name. It asks the name servers directly: the system's own look-up runs on a few threads that the whole process
 * shares, and a name server that does not answer would block them all.
 */
export type LookUp = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const localhost = /^(?:.+\.)?localhost\.?$/i;

export const lookUp: LookUp = async (host, signal) => {
  if (isIP(host)) return [host];
  if (localhost.test(host)) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  signal.addEventListener("abort", () => resolver.cancel());
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  if (addresses.length === 0 && found[0].status === "rejected") throw found[0].reason;
  return addresses;
};
