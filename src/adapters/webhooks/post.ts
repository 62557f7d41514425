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
  /** A certificate to trust instead of those that Node.js trusts by default. */
  readonly ca?: string;
}

const maxAnswerBytes = 65_536;
const excerptBytes = 2_000;
/** How long to wait for the answer's body after its status. The wait is short, since the body is only shown to people. */
const maxBodyMs = 2_000;
/** How many 1xx answers may come before the final one. */
const maxInterimAnswers = 20;
/** The status of a receiver that changes the protocol. No body follows it. */
const switchingProtocols = 101;

export function createPost({ deadlineMs = 15_000, lookUp = systemLookUp, ca }: PostOptions = {}): PostWebhook {
  return async (request) => {
    const started = performance.now();
    const deadline = new AbortController();
    const giveUp = () => deadline.abort(new Error(`no answer within ${deadlineMs / 1000} s`));
    const timer = setTimeout(giveUp, deadlineMs);
    const signal = AbortSignal.any([request.signal, deadline.signal]);
    const answerWith = (outcome: Omit<WebhookAnswer, "milliseconds">): WebhookAnswer => ({
      ...outcome,
      milliseconds: Math.round(performance.now() - started),
    });
    const sockets: Socket[] = [];
    const connectAndSend = async () => {
      signal.throwIfAborted();
      const url = new URL(request.url);
      const socket = await connectToEndpoint({ url, refusalReason: request.refusalReason, lookUp, ca, signal });
      sockets.push(socket);
      // If the process was frozen, it may learn of the connection before the timer fires. Nothing may be sent after the deadline.
      if (performance.now() - started >= deadlineMs) giveUp();
      signal.throwIfAborted();
      return sendRequest(socket, url, request, signal);
    };
    try {
      // Some misbehaving receivers make Node's client emit no event at all, so the deadline also rejects this promise.
      const aborted = once(signal, "abort").then((): never => {
        throw signal.reason;
      });
      const response = await Promise.race([connectAndSend(), aborted]);
      const { statusCode: status = 0 } = response;
      return answerWith({ status, reason: failureReason(status), answer: await readExcerpt(response, signal) });
    } catch (error) {
      return answerWith({ status: null, reason: describeError(signal.aborted ? signal.reason : error), answer: null });
    } finally {
      clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
    }
  };
}

function failureReason(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `It answered ${status}; redirects are not followed` : `It answered ${status}`;
}

function sendRequest(socket: Socket, url: URL, { headers, body }: WebhookRequest, signal: AbortSignal): Promise<IncomingMessage> {
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
    let interimAnswers = 0;
    outgoing.on("information", () => {
      interimAnswers += 1;
      if (interimAnswers > maxInterimAnswers) outgoing.destroy(new Error(`it sent more than ${maxInterimAnswers} interim answers`));
    });
    outgoing.on("error", fail);
    outgoing.once("close", () => fail(new Error("the connection was closed before an answer")));
    outgoing.end(body);
  });
}

/** Reads at most 64 KiB, for at most `maxBodyMs` and not beyond the deadline, and returns the beginning. */
async function readExcerpt(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const endSignal = AbortSignal.any([signal, AbortSignal.timeout(maxBodyMs)]);
  try {
    if (response.statusCode === switchingProtocols) return "";
    for await (const chunk of addAbortSignal(endSignal, response) as AsyncIterable<Buffer>) {
      if (bytes < excerptBytes) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxAnswerBytes) break;
    }
  } catch {
    // what has arrived of the body is enough
  } finally {
    response.destroy();
  }
  return storableText(Buffer.concat(chunks).subarray(0, excerptBytes).toString("utf8"));
}

/** Cuts out the signatures of links, since a receiver may echo the request, and replaces characters that Postgres cannot store. */
const storableText = (text: string): string =>
  text
    .replaceAll("\0", "\ufffd")
    .replaceAll(/(signature=)[^&"'\s\\]+/gi, "$1...")
    .toWellFormed();

const messagesByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was closed before an answer",
  EPIPE: "The connection was closed before an answer",
  EHOSTUNREACH: "Its address cannot be reached",
  ENETUNREACH: "Its address cannot be reached",
  ENOTFOUND: "Its host name does not exist",
  ENODATA: "Its name has no address",
  ESERVFAIL: "Its name server does not answer",
  ETIMEOUT: "Its name server does not answer",
  ETIMEDOUT: "The connection was not made in time",
  ABORT_ERR: "No answer in time",
};

function describeError(error: unknown): string {
  if (error instanceof RefusedAddress) return `Not sent: ${error.message}`;
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const words = messagesByCode[code] ?? (message || "The connection failed");
  return `${words.charAt(0).toUpperCase()}${words.slice(1, 300)}`;
}
