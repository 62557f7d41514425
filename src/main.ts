// Opens a role. Each role runs as one process and loads only the modules it needs, since loading takes most of the start-up time.
import type { Logger } from "pino";
import type { Config } from "./config.js";
import type { RunRole } from "./main/roles/role.js";

export type RoleName = "api" | "worker" | "projector";

/** The API's server listens when this resolves, so before `load` loads the other modules and before anything connects to the stores. */
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
  const loaders = { worker: () => import("./main/roles/worker.js"), projector: () => import("./main/roles/projector.js") };
  return { load: async () => (await loaders[name]()).run, close: async () => undefined };
}
