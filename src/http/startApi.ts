import type { Logger } from "pino";
import type { Route } from "./api/route.js";
import { type AppDeps, createApp } from "./app.js";
import type { BodyReaderOptions } from "./server/readBody.js";
import { type OpenServer, openServer, type RunningServer, type SocketTimeouts } from "./server/startServer.js";

export interface ApiOptions extends ServedApi {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly logger: Logger;
}

interface ServedApi {
  readonly deps: AppDeps;
  /** All routes by default; tests bring their own. */
  readonly routes?: readonly Route[];
  /** `silenceMs`: a JSON body is given up when nothing arrives for this long, since it takes memory. */
  readonly timeouts?: Partial<SocketTimeouts & { silenceMs: number }>;
  /** The memory for all JSON bodies at once, if a test needs it to be small. */
  readonly bodies?: Pick<BodyReaderOptions, "inAll" | "each">;
}

const silenceMs = 5_000;

export async function startApi({ host, port, logger, ...served }: ApiOptions): Promise<RunningServer> {
  return serveApi(await openServer({ host, port, logger, ...(served.timeouts ? { timeouts: served.timeouts } : {}) }), served);
}

/** The API answers the requests of a server that is open already. */
export function serveApi(server: OpenServer, { deps, routes, bodies, timeouts }: ServedApi): RunningServer {
  const closing = new AbortController();
  const stopping = new AbortController();
  const app = createApp({ ...deps, closing: closing.signal, stopping: stopping.signal }, routes, {
    ...bodies,
    silenceMs: timeouts?.silenceMs ?? silenceMs,
  });
  server.serve(app);
  const stop = () => {
    closing.abort();
    return server.stop().finally(() => stopping.abort());
  };
  return { ...server, stop };
}
