import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { Hono } from "hono";
import type { Logger } from "pino";
import { plainAnswer, retryAfterOutageSeconds } from "./answerError.js";
import type { answerTable } from "./problem.js";
import { discardRest, readLeftovers } from "./readLeftovers.js";
import { type AppEnv, requestMiddleware, sendAnswer } from "./requestMiddleware.js";

/** How long running requests may go on after the process was asked to stop. */
const maxDrainMs = 6_000;

export interface RunningServer {
  readonly port: number;
  /** Accepts no new connections, waits for running requests, then closes. */
  stop(): Promise<void>;
  /** The number of requests whose answers are not complete. */
  countRunning(): number;
}

/** A server that already listens, and gets its app later. */
export interface OpenServer extends RunningServer {
  /** From now on the app answers all requests. */
  serve(app: Hono<AppEnv>): void;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly logger: Logger;
  readonly timeouts?: Partial<SocketTimeouts>;
}

export interface SocketTimeouts {
  /** The time limit for all headers of a request to arrive. */
  readonly headersMs: number;
  /** The time limit for a whole request to arrive. 50 MB in the default time need 1.4 Mbit/s. */
  readonly requestMs: number;
  /** How long a request may go without a byte before its connection is closed. */
  readonly idleMs: number;
}

const defaultTimeouts: SocketTimeouts = { headersMs: 10_000, requestMs: 300_000, idleMs: 60_000 };

/** Listens immediately and answers 503 until it has an app, so that callers are asked to come back, and their connection is not refused. */
export async function openServer({ host, port, logger, timeouts }: ServerOptions): Promise<OpenServer> {
  const { headersMs, requestMs, idleMs } = { ...defaultTimeouts, ...timeouts };
  const { running, track } = trackResponses();
  const listenerOf = (app: Hono<AppEnv>) =>
    getRequestListener(app.fetch, {
      errorHandler: (error) => answerUnreadable(error, logger),
      autoCleanupIncoming: false, // the cleanup closes the connection half a second after the answer; readLeftovers takes its place
    });
  let listener = listenerOf(createStartingApp(logger));
  const server = createServer(
    {
      // Node closes the connection of a sender that is silent, or sends its headers or body too slowly.
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(2_000, headersMs),
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false, // Node's own answer has no body; the adapter's error is answered in JSON
    },
    (incoming, outgoing) => {
      track(outgoing, incoming.socket);
      readLeftovers(incoming, outgoing);
      if (!server.listening) outgoing.setHeader("connection", "close");
      if (incoming.httpVersion === "1.0") incoming.headers.host ||= "localhost"; // HTTP/1.0, as load balancers' probes use, has no Host
      void listener(incoming, outgoing);
    },
  );
  server.timeout = idleMs;
  server.maxConnections = 10_000;
  server.on("clientError", answerParserError);
  server.on("checkExpectation", (incoming, outgoing) => {
    readLeftovers(incoming, outgoing);
    refuseExpectation(outgoing);
  });
  server.listen(port, host);
  await once(server, "listening"); // throws if the server cannot listen
  server.on("error", (error) => logger.error({ err: error }, "the HTTP server reported an error"));
  return {
    port: (server.address() as AddressInfo).port,
    serve(app) {
      listener = listenerOf(app);
    },
    stop: () => drain(server, running),
    countRunning: () => running.size,
  };
}

/** Answers while the process loads its modules and waits for its stores: /healthz says that it is alive, everything else is a 503. */
function createStartingApp(logger: Logger): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const headers = { "retry-after": String(retryAfterOutageSeconds) };
  app.use(requestMiddleware({ logger, metrics: { recordRequest: () => undefined } }));
  app.get("/healthz", (c) => sendAnswer(c, { status: 200, body: { status: "ok" } }));
  app.get("/readyz", (c) => sendAnswer(c, { status: 503, headers, body: { status: "unavailable", checks: { start: "failed" } } }));
  app.all("*", (c) => sendAnswer(c, { ...plainAnswer("unavailable", "The service is starting, try again shortly"), headers }));
  return app;
}

const unreadableMessage = "The request could not be read";

/** Answers errors outside the app: the adapter could not read the request line or headers (400), or has another fault (500). */
function answerUnreadable(error: unknown, logger: Logger): Response {
  if (!(error instanceof RequestError)) logger.error({ err: error }, "request failed outside the app");
  const { status, body } = plainAnswer(error instanceof RequestError ? "invalid" : "internal", unreadableMessage);
  return Response.json(body, { status, headers: { "x-request-id": randomUUID() } });
}

function refuseExpectation(outgoing: ServerResponse): void {
  const { status, body: content } = plainAnswer("expectationFailed", "Nothing but 100-continue can be expected");
  const body = JSON.stringify(content);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), "x-request-id": randomUUID() };
  outgoing.writeHead(status, { ...headers, connection: "close" }).end(body);
}

/** Node's parser failed: bad syntax, too large headers, or a too slow request. The answer is JSON, like all others. */
function answerParserError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body: content } = plainAnswer(parserErrorCodes[error.code ?? ""] ?? "invalid", unreadableMessage);
  const body = JSON.stringify(content);
  const headers = [
    `HTTP/1.1 ${status} ${content.error}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    "connection: close",
  ];
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
  discardRest(socket);
}

const parserErrorCodes: Readonly<Record<string, keyof typeof answerTable>> = {
  HPE_HEADER_OVERFLOW: "headersTooLarge",
  ERR_HTTP_REQUEST_TIMEOUT: "requestTimeout",
};

async function drain(server: Server, running: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // With `Connection: close` a client does not send its next request to a socket that is about to close.
  for (const outgoing of running) if (!outgoing.headersSent) outgoing.setHeader("connection", "close");
  server.closeIdleConnections();
  const closeIdle = setInterval(() => server.closeIdleConnections(), 100);
  const closeAll = setTimeout(() => server.closeAllConnections(), maxDrainMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(closeAll);
}

/** Tracks the responses that have not ended, so that a stopping server can tell their clients that it closes the connection. */
function trackResponses() {
  const running = new Set<ServerResponse>();
  const bySocket = new WeakMap<Socket, Set<ServerResponse>>();
  return {
    running: running as ReadonlySet<ServerResponse>,
    track(outgoing: ServerResponse, socket: Socket): void {
      const responses = bySocket.get(socket) ?? new Set();
      if (!bySocket.has(socket)) socket.once("close", () => closePipelined(responses));
      bySocket.set(socket, responses);
      running.add(outgoing);
      responses.add(outgoing);
      outgoing.once("close", () => {
        running.delete(outgoing);
        responses.delete(outgoing);
      });
    },
  };
}

/** When a socket closes, Node closes only the response that is being sent. Pipelined responses behind it would stay in memory for ever. */
function closePipelined(responses: ReadonlySet<ServerResponse>): void {
  for (const outgoing of [...responses]) {
    if (outgoing.socket !== null) continue; // being sent: Node closes it
    outgoing.destroy();
    outgoing.emit("close");
  }
}
