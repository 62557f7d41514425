// Posts one webhook. Every wait has a time limit, and every read a size limit.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import type { PostWebhook, WebhookAnswer, WebhookRequest } from "../../ports/webhooks.js";
import { connectToEndpoint, type LookUp, RefusedAddress, lookUp as systemLookUp } from "./connectToEndpoint.js";

export interface PostOptions {
  readonly deadlineMs?: number;
  readonly lookUp?: LookUp;
  /** A certificate to trust beside the system's own. */
  readonly ca?: string;
}

const mostBytes = 65_536;
const excerptBytes = 2_000;
/** How long to wait for the answer's text after its status. The text is only shown to people. */
const textMs = 2_000;
/** Answers of 1xx before the one that counts. */
const mostInterim = 20;
/** The answer of a receiver that changes the protocol. What follows is no text. */
const switching = 101;

export function createPost({ deadlineMs = 15_000, lookUp = systemLookUp, ca }: PostOptions = {}): PostWebhook {
  return async (request) => {
    const started = performance.now();
    const late = new AbortController();
    const giveUp = () => late.abort(new Error(`no answer within ${deadlineMs / 1000} s`));
    const timer = setTimeout(giveUp, deadlineMs);
    const signal = AbortSignal.any([request.signal, late.signal]);
    const ended = (outcome: Omit<WebhookAnswer, "milliseconds">): WebhookAnswer => ({
      ...outcome,
      milliseconds: Math.round(performance.now() - started),
    });
    const sockets: Socket[] = [];
    const ask = async () => {
      signal.throwIfAborted();
      const url = new URL(request.url);
      const socket = await connectToEndpoint({ url, whyNot: request.whyNot, lookUp, ca, signal });
      sockets.push(socket);
      // In a process that was frozen the connection may be reported before the timer. Nothing is sent after the deadline.
      if (performance.now() - started >= deadlineMs) giveUp();
      signal.throwIfAborted();
      return exchange(socket, url, request, signal);
    };
    try {
      // Not everything that a receiver can do makes Node's client emit an event.
      const aborted = once(signal, "abort").then((): never => {
        throw signal.reason;
      });
      const response = await Promise.race([ask(), aborted]);
      const { statusCode: status = 0 } = response;
      return ended({ status, reason: whyFailed(status), answer: await beginningOf(response, signal) });
    } catch (error) {
      return ended({ status: null, reason: inWords(signal.aborted ? signal.reason : error), answer: null });
    } finally {
      clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
    }
  };
}

function whyFailed(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `It answered ${status}; redirects are not followed` : `It answered ${status}`;
}

function exchange(socket: Socket, url: URL, { headers, body }: WebhookRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((settle, fail) => {
    const outgoing = httpRequest({
      createConnection: () => socket,
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, "content-length": Buffer.byteLength(body), connection: "close" },
      signal,
    });
    outgoing.once("response", settle);
    // Without this listener an answer of 101 closes the socket, and neither `response` nor `error` follows.
    outgoing.once("upgrade", settle);
    let interim = 0;
    outgoing.on("information", () => {
      interim += 1;
      if (interim > mostInterim) outgoing.destroy(new Error(`it sent more than ${mostInterim} interim answers`));
    });
    outgoing.on("error", fail);
    outgoing.once("close", () => fail(new Error("the connection was closed before an answer")));
    outgoing.end(body);
  });
}

/** Reads at most 64 KiB for at most `textMs`, not beyond the deadline, and keeps the beginning. */
async function beginningOf(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const until = AbortSignal.any([signal, AbortSignal.timeout(textMs)]);
  try {
    if (response.statusCode === switching) return "";
    for await (const chunk of addAbortSignal(until, response) as AsyncIterable<Buffer>) {
      if (bytes < excerptBytes) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= mostBytes) break;
    }
  } catch {
    // what has come counts
  } finally {
    response.destroy();
  }
  return storable(Buffer.concat(chunks).subarray(0, excerptBytes).toString("utf8"));
}

/** A receiver may echo what it got, so the signature of a link is cut out. Characters that Postgres cannot store are replaced. */
const storable = (text: string): string =>
  text
    .replaceAll("\0", "\ufffd")
    .replaceAll(/(signature=)[^&"'\s\\]+/gi, "$1...")
    .toWellFormed();

const codes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was closed before an answer",
  EPIPE: "The connection was closed before an answer",
  EHOSTUNREACH: "There is no way to its address",
  ENETUNREACH: "There is no way to its address",
  ENOTFOUND: "Its name is not known",
  ENODATA: "Its name has no address",
  ESERVFAIL: "Its name server does not answer",
  ETIMEOUT: "Its name server does not answer",
  ETIMEDOUT: "The connection was not made in time",
  ABORT_ERR: "No answer in time",
};

function inWords(error: unknown): string {
  if (error instanceof RefusedAddress) return `Not sent: ${error.message}`;
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const words = codes[code] ?? (message || "The connection failed");
  return `${words.charAt(0).toUpperCase()}${words.slice(1, 300)}`;
}
