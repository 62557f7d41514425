// What the roles have in common: each is one process, with its configuration, the stores' addresses and a logger.
import { setMaxListeners } from "node:events";
import { rm } from "node:fs/promises";
import type { Logger } from "pino";
import { logIdOf } from "../../commands/logIdentity.js";
import type { Config } from "../../config.js";
import { StoreUnavailable } from "../../portErrors.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { Addresses } from "../../supervisor/openStores.js";
import { type Adapters, openAdapters, ownTempDir, retryUntilUp } from "../adapters.js";
import { keepTables, prepareTables } from "../tables.js";

export interface RoleOptions {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly logger: Logger;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Called once, when the role is ready. */
  readonly onReady: () => void;
}

/** Resolves when the signal has aborted and everything is closed. */
export type RunRole = (options: RoleOptions) => Promise<void>;

/** `ended` aborts when the role ends, also when it ends with an error. */
type Run = (adapters: Adapters, own: { tempDir: string; ended: AbortSignal }) => Promise<void>;

export async function runAsRole(name: string, options: RoleOptions, run: Run): Promise<void> {
  const ended = new AbortController();
  const { config, addresses, logger, signal } = options;
  setMaxListeners(0, signal); // every loop of the role waits for it; more than ten are no leak
  const adapters = await openAdapters(config, addresses, name, logger);
  const tempDir = await ownTempDir(config, name);
  try {
    await retryUntilUp(() => prepareTables(adapters), logger, signal);
    void keepTables(adapters, logger, AbortSignal.any([signal, ended.signal]));
    // Writes LogCreated if the event log has none yet. Not awaited, since the API also answers while the event store is down.
    void retryUntilUp(() => logIdOf(adapters.eventStore), logger, signal).catch((error: unknown) =>
      logger.error({ err: error }, "the log has no id, and could not be given one"),
    );
    if (!signal.aborted) await run(adapters, { tempDir, ended: AbortSignal.any([signal, ended.signal]) });
  } finally {
    ended.abort();
    await adapters.close();
    await rm(tempDir, { recursive: true, force: true });
  }
}

/** For the API, which stores submissions. During an outage the bucket is created later, and other requests are served meanwhile. */
export async function prepareObjects(objectStore: ObjectStore, logger: Logger, signal: AbortSignal): Promise<void> {
  if (await isUsable(objectStore.prepare(), logger, "the object store is not available: pushes are answered 503 until it is")) return;
  void retryUntilUp(() => objectStore.prepare(), logger, signal).catch((fault: unknown) =>
    logger.error({ err: fault }, "the object store cannot be used"),
  );
}

/** For a worker, which creates no bucket: with a wrong name in the settings it would find an empty bucket and fail the imports. */
export async function checkObjects(objectStore: ObjectStore, logger: Logger): Promise<void> {
  await isUsable(objectStore.ping(), logger, "the object store cannot be used: imports wait until it can");
}

async function isUsable(trial: Promise<void>, logger: Logger, warning: string): Promise<boolean> {
  try {
    await trial;
    return true;
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.fault === "misconfigured") throw error;
    logger.warn({ err: error }, warning);
    return false;
  }
}
