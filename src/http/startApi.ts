import type { Logger } from "pino";
import type { Route } from "./api/route.js";
import { type AppDeps, createApp } from "./app.js";
import type { BodyReaderOptions } from "./server/readBody.js";
import { defaultTimeouts, type RunningServer, type SocketTimeouts, startServer } from "./server/startServer.js";

export interface ApiOptions {
  readonly deps: AppDeps;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly logger: Logger;
  /** All routes by default; tests bring their own. */
  readonly routes?: readonly Route[];
  /** `silenceMs`: a JSON body is given up when nothing arrives for this long, since it takes memory. */
  readonly timeouts?: Partial<SocketTimeouts & { silenceMs: number }>;
  /** The memory for all JSON bodies at once, if a test needs it to be small. */
  readonly bodies?: Pick<BodyReaderOptions, "inAll" | "each">;
}

const silenceMs = 5_000;

export async function startApi({ deps, host, port, logger, routes, bodies, timeouts }: ApiOptions): Promise<RunningServer> {
  const closing = new AbortController();
  const stopping = new AbortController();
  const app = createApp({ ...deps, closing: closing.signal, stopping: stopping.signal }, routes, {
    ...bodies,
    silenceMs: timeouts?.silenceMs ?? silenceMs,
  });
  const server = await startServer({ app, host, port, logger, timeouts: { ...defaultTimeouts, ...timeouts } });
  const stop = () => {
    closing.abort();
    return server.stop().finally(() => stopping.abort());
  };
  return { ...server, stop };
}
