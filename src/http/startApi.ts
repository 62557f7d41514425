import type { Logger } from "pino";
import type { Route } from "./api/route.js";
import { type AppDeps, createApp } from "./app.js";
import type { BodyReaderOptions } from "./server/readBody.js";
import { defaultTimeouts, type RunningServer, type SocketTimeouts, startServer } from "./server/startServer.js";

export interface ApiOptions {
  readonly deps: AppDeps;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
  /** All of them, unless a test brings its own. */
  readonly routes?: readonly Route[];
  /** `silenceMs`: for a JSON body of which nothing more arrives; it holds memory that others may need. */
  readonly timeouts?: Partial<SocketTimeouts & { silenceMs: number }>;
  /** What the JSON bodies that are held at once may take, where a test wants it to be little. */
  readonly bodies?: Pick<BodyReaderOptions, "inAll" | "perOrganisation">;
}

const silenceMs = 5_000;

export async function startApi({ deps, host, port, logger, routes, bodies, timeouts }: ApiOptions): Promise<RunningServer> {
  const stopping = new AbortController();
  const app = createApp({ ...deps, stopping: stopping.signal }, routes, { ...bodies, silenceMs: timeouts?.silenceMs ?? silenceMs });
  const server = await startServer({ app, host, port, logger, timeouts: { ...defaultTimeouts, ...timeouts } });
  return { ...server, stop: () => server.stop().finally(() => stopping.abort()) };
}
