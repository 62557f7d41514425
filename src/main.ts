// The roles. Each is one process and loads only what it needs: a start is mostly the loading of modules.
import type { Logger } from "pino";
import type { Config } from "./config.js";
import type { RunRole } from "./main/roles/role.js";

interface OpenRole {
  load(): Promise<RunRole>;
  close(): Promise<void>;
}

const quiet = (load: () => Promise<{ readonly run: RunRole }>) => async (): Promise<OpenRole> => ({
  load: async () => (await load()).run,
  close: async () => undefined,
});

const roles = {
  /** Listens before anything else is loaded or looked for. */
  api: async ({ host, port }: Config, logger: Logger): Promise<OpenRole> => {
    const { openServer } = await import("./http/server/startServer.js");
    const server = await openServer({ host, port, logger });
    const load = async (): Promise<RunRole> => {
      const { run } = await import("./main/roles/api.js");
      return (options) => run(server, options);
    };
    return { load, close: () => server.stop() };
  },
  worker: quiet(() => import("./main/roles/worker.js")),
  projector: quiet(() => import("./main/roles/projector.js")),
};

export type RoleName = keyof typeof roles;

export const openRole = (name: RoleName, config: Config, logger: Logger): Promise<OpenRole> => roles[name](config, logger);
