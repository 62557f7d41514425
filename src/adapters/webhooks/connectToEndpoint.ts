// Connects to an endpoint. Checks its addresses before the connection is made, and the socket's address again before anything is sent.
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";

/** Thrown for an address to which nothing may be sent. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

export interface EndpointOptions {
  readonly url: URL;
  readonly refusalReason: (address: string) => string | undefined;
  readonly lookUp: LookUp;
  /** Certificates to trust instead of those that Node.js trusts by default. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
}

/** How many addresses of a host name are tried. */
const maxAddresses = 3;
const maxHandshakeMs = 10_000;

export async function connectToEndpoint({ url, refusalReason, lookUp, ca, signal }: EndpointOptions): Promise<Socket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isPlain = url.protocol === "http:";
  const port = Number(url.port) || (isPlain ? 80 : 443);
  const addresses = await lookUp(host, signal);
  const allowed = addresses.filter((address) => refusalReason(address) === undefined);
  const [first] = addresses;
  if (first === undefined) throw new Error("its name has no address");
  if (allowed.length === 0) throw new RefusedAddress(refusalReason(first));
  const socket = await firstThatConnects(allowed.slice(0, maxAddresses), port, signal);
  const refusal = refusalReason(socket.remoteAddress ?? "");
  if (refusal !== undefined) {
    socket.destroy();
    throw new RefusedAddress(refusal);
  }
  return isPlain ? socket : startTls(socket, host, ca, signal);
}

async function firstThatConnects(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    try {
      return await waitForConnection(connectTcp({ host, port }), "connect", signal);
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}

function startTls(socket: Socket, host: string, ca: string | undefined, signal: AbortSignal): Promise<Socket> {
  const isName = !/^[\d.]+$|:/.test(host);
  const tls = connectTls({ socket, host, secureContext: tlsContextFor(ca), ...(isName ? { servername: host } : {}) });
  return waitForConnection(tls, "secureConnect", AbortSignal.any([signal, AbortSignal.timeout(maxHandshakeMs)]));
}

const tlsContexts = new Map<string | undefined, SecureContext>();

/** Creates each context once: reading the default certificates for every connection would take longer than anything else here. */
function tlsContextFor(ca: string | undefined): SecureContext {
  const context = tlsContexts.get(ca) ?? createSecureContext(ca === undefined ? {} : { ca });
  tlsContexts.set(ca, context);
  return context;
}

async function waitForConnection<S extends Socket>(socket: S, event: "connect" | "secureConnect", signal: AbortSignal): Promise<S> {
  const closeListener = new AbortController();
  const closed = once(socket, "close", { signal: closeListener.signal }).then(() => {
    throw new Error("the connection was closed");
  });
  try {
    await Promise.race([once(socket, event, { signal }), closed]);
    socket.on("error", () => undefined); // the request on the socket handles later errors; without a listener they would end the process
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    closeListener.abort();
  }
}

/**
 * Finds the addresses of a host name by asking the name servers directly. The system's own look-up runs on a few threads that the whole
 * process shares, and a name server that does not answer would block all of them.
 */
export type LookUp = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const localhost = /^(?:.+\.)?localhost\.?$/i;

export const lookUp: LookUp = async (host, signal) => {
  if (isIP(host)) return [host];
  if (localhost.test(host)) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  signal.addEventListener("abort", () => resolver.cancel());
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = results.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  if (addresses.length === 0 && results[0].status === "rejected") throw results[0].reason;
  return addresses;
};
