import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { type Config, childEnvironment } from "../config.js";
import { keepRunning, type RunningProcess, type SupervisedProcess, startChild } from "../embedded/childProcess.js";
import { processIdentity } from "../embedded/processes.js";
import { type OpenStores, openStores } from "./openStores.js";

const roles = ["projector", "worker", "api"] as const;
const roleStopMs = 6_500; // of the ten seconds that a stop may take: the rest is for the stores

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Migrates the database, and on a first start creates the demo organisation. */
  readonly prepare: (stores: OpenStores) => Promise<void>;
  /** Called once, when the API answers. */
  readonly onReady: () => void;
}

/** Runs the stores and all roles on one machine until the signal aborts. */
export async function start({ config, logger, signal, prepare, onReady }: StartOptions): Promise<void> {
  const stores = await openStores(config, "start", logger, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (!stores) return;
  const supervised: SupervisedProcess<RunningProcess & { readonly pid: number }>[] = [];
  try {
    await assertPortFree(config, signal);
    if (signal.aborted) return;
    await prepare(stores);
    if (signal.aborted) return;
    const environment = childEnvironment(config, stores);
    const record = async () => {
      const identities = await Promise.all(supervised.map((role) => processIdentity(role.current()?.pid ?? 0)));
      await stores.recordProcesses(identities.filter((identity) => identity !== undefined));
    };
    const onStart = () => void record().catch((error: unknown) => logger.warn({ err: error }, "the runtime file could not be written"));
    let hasAnnounced = false;
    const announceOnce = () => {
      if (!hasAnnounced) onReady();
      hasAnnounced = true;
    };
    for (const role of roles) {
      const launch = () => {
        const child = startChild([role], { env: environment });
        if (role === "api") child.ready.then(announceOnce, () => undefined);
        return { ...child, stop: () => child.stop(roleStopMs) };
      };
      supervised.push(keepRunning({ name: role, first: launch(), start: async () => launch(), logger, onStart }));
    }
    await record();
    if (!signal.aborted) await Promise.race([once(signal, "abort"), stores.whenFolderLost(signal)]);
    if (!signal.aborted)
      throw new Error(`${config.dataDir} was removed, or another process has taken it. All roles and stores are stopped.`);
    logger.info("stopping: running requests and appends are finished first");
  } finally {
    await stores.recordStopping();
    await Promise.all(supervised.map((role) => role.stop()));
    await stores.close();
  }
}

/** Called before any role is started, so that the reason is printed once, instead of restarting the API again and again. */
async function assertPortFree({ host, port }: Config, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const code = await new Promise<string | undefined>((settle) => {
      const probe = createServer();
      probe.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
      probe.listen(port, host, () => probe.close(() => settle(undefined)));
    });
    if (code === undefined || signal.aborted) return;
    if (code !== "EADDRINUSE")
      throw new Error(`The API cannot listen on ${host}:${port} (${code}). Set HOST and PORT to an address of this machine.`);
    if (attempt === 5) throw new Error(`Port ${port} on ${host} is in use. Stop what is using it, or set PORT to another number.`);
    await pause(200); // a process of an earlier start may still be ending
  }
}
