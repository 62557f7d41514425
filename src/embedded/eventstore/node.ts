// A small node that speaks the EventStoreDB protocol, so that the product runs on one machine without installing EventStoreDB. For a
// cluster, projections or access control use EventStoreDB itself (https://www.eventstore.com), with the same client.
// `protocol` holds the messages and gRPC, `log` stores and finds events, and `calls` answers the calls.
import { once } from "node:events";
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { appendCalls, batchAppendCalls, deleteCalls } from "./calls/appendCalls.js";
import { gossip, serverFeatures } from "./calls/nodeInfoCalls.js";
import { readCalls } from "./calls/readCalls.js";
import { credentialsCheck } from "./credentials.js";
import { createCommitLog } from "./log/commitLog.js";
import { FolderInUse, startStorage } from "./log/startStorage.js";
import { createWriter } from "./log/writer.js";
import { accessDenied, type Method, notImplemented, refusedCall, serveCall } from "./protocol/grpc.js";

export interface EventStoreNodeOptions {
  /** 0 for any free port. */
  port: number;
  dataDir: string;
  /** A user name and a password, joined by a colon. Every call has to carry them. If undefined, any program on this machine may call. */
  credentials?: string | undefined;
  /** Called with a fault whose cause no client is told. */
  report?: (message: string, error: unknown) => void;
  /** Called when a write to the disk has failed. The node is then unusable and has to be started again. */
  onFailure?: (error: unknown) => void;
}

export type EventStoreNode = Awaited<ReturnType<typeof startEventStoreNode>>;

const HOST = "127.0.0.1";
const WINDOW_BYTES = 1024 * 1024;
const SETTINGS = { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: 500 };
/** A connection that holds more in memory gets no new calls. The limit is high, for many subscribers that are slow to read. */
const MAX_CONNECTION_MEGABYTES = 256;
const STREAMS = "/event_store.client.streams.Streams";
const GOSSIP = "/event_store.client.gossip.Gossip/Read";
const FEATURES = "/event_store.client.server_features.ServerFeatures/GetSupportedMethods";
/** Calls that a client makes without credentials, before its first other call. Their answers reveal nothing that is stored. */
const CALLS_WITHOUT_CREDENTIALS: ReadonlySet<string> = new Set([GOSSIP, FEATURES]);

export async function startEventStoreNode({ port, dataDir, credentials, report, onFailure }: EventStoreNodeOptions) {
  const { storage, close } = await startStorage(dataDir, (message, error) => report?.(message, error));
  const log = createCommitLog(storage, (error) => onFailure?.(error));
  const server = createServer({ maxSessionMemory: MAX_CONNECTION_MEGABYTES, settings: SETTINGS });
  const endPoint = () => ({ host: HOST, port: (server.address() as AddressInfo).port });
  const writer = createWriter(storage, log);
  const routes: Record<string, Method> = {
    [`${STREAMS}/Append`]: appendCalls(writer),
    [`${STREAMS}/BatchAppend`]: batchAppendCalls(writer),
    [`${STREAMS}/Read`]: readCalls(storage, log),
    [`${STREAMS}/Delete`]: deleteCalls(writer, false),
    [`${STREAMS}/Tombstone`]: deleteCalls(writer, true),
    [GOSSIP]: gossip(endPoint),
  };
  routes[FEATURES] = serverFeatures(Object.keys(routes));
  const mayCall = credentials === undefined ? () => true : credentialsCheck(credentials);
  const disconnectAll = serve(server, routes, mayCall, (error) => report?.("a call to the event store failed", error));

  try {
    if (storage.isEmpty()) await writer.writeFirstEvent();
    server.listen(port, HOST);
    await once(server, "listening"); // rejects with an error of the server
  } catch (error) {
    await close();
    throw error;
  }

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    disconnectAll();
    await closed;
    await log.waitForAppends().catch(() => undefined);
    await close();
  };
  return { ...endPoint(), address: `esdb://${HOST}:${endPoint().port}?tls=false`, stop: () => (stopping ??= stop()) };
}

const unknownCall = refusedCall(notImplemented("This node does not offer that"));
const deniedCall = refusedCall(accessDenied());

function serve(
  server: Http2Server,
  routes: Record<string, Method>,
  mayCall: (headers: IncomingHttpHeaders) => boolean,
  onBug: (error: unknown) => void,
): () => void {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.setLocalWindowSize(4 * WINDOW_BYTES);
    session.on("error", () => undefined); // the client notices a broken connection itself
    session.on("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    const path = headers[":path"] ?? "";
    const isAllowed = CALLS_WITHOUT_CREDENTIALS.has(path) || mayCall(headers);
    serveCall(stream, isAllowed ? (routes[path] ?? unknownCall) : deniedCall, onBug);
  });
  return () => {
    for (const session of sessions) session.destroy();
  };
}

/** The message for a node that could not start: the cause, and what to do about it. */
export function startFault(error: unknown, { port, dataDir }: { port: number; dataDir: string }): string {
  if (error instanceof FolderInUse) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `port ${port} is in use: give the event store another one with --port.`;
  if (code === "EACCES") return `${dataDir} or port ${port} is not open to this user: ${message}`;
  return `the event store could not start: ${message}`;
}
