import type { Logger } from "pino";
import { type ServedApi, serveApi } from "../../src/http/app.js";
import { openServer, type RunningServer, type SocketTimeouts } from "../../src/http/server/startServer.js";

export interface ApiOptions extends ServedApi {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly logger: Logger;
  /** `silenceMs`: a JSON body is given up when nothing arrives for this long. */
  readonly timeouts?: Partial<SocketTimeouts & { silenceMs: number }>;
}

/** The API on a socket of its own. */
export async function startApi({ host, port, logger, timeouts = {}, bodyLimits, ...served }: ApiOptions): Promise<RunningServer> {
  const { silenceMs = 5_000 } = timeouts;
  return serveApi(await openServer({ host, port, logger, timeouts }), { ...served, bodyLimits: { ...bodyLimits, silenceMs } });
}
