// The roles. Each is one process and loads only what it needs: a start is mostly the loading of modules.
import type { Logger } from "pino";
import type { Config } from "./config.js";
import type { RunRole } from "./main/roles/role.js";

export type RoleName = "api" | "worker" | "projector";

/** The API listens before anything else is loaded or looked for. */
export async function openRole(name: RoleName, { host, port }: Config, logger: Logger) {
  if (name === "api") {
    const { openServer } = await import("./http/server/startServer.js");
    const server = await openServer({ host, port, logger });
    const load = async (): Promise<RunRole> => {
      const { run } = await import("./main/roles/api.js");
      return (options) => run(server, options);
    };
    return { load, close: () => server.stop() };
  }
  const loading = { worker: () => import("./main/roles/worker.js"), projector: () => import("./main/roles/projector.js") };
  return { load: async () => (await loading[name]()).run, close: async () => undefined };
}
