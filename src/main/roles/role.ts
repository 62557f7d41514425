// What the roles have in common. Each role is one process.
import { setMaxListeners } from "node:events";
import { rm } from "node:fs/promises";
import type { Logger } from "pino";
import { logIdOf } from "../../commands/logIdentity.js";
import type { Config } from "../../config.js";
import { StoreUnavailable } from "../../portErrors.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { Addresses } from "../../supervisor/openStores.js";
import { type Adapters, createTempDir, openAdapters, retryUntilUp } from "../adapters.js";
import { prepareTables, restoreLostTables } from "../tables.js";

export interface RoleOptions {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly logger: Logger;
  /** Aborts when the process has to stop. */
  readonly signal: AbortSignal;
  /** The role calls this when it is ready. */
  readonly onReady: () => void;
}

/** Resolves when the signal has aborted and the role has closed everything that it opened. */
export type RunRole = (options: RoleOptions) => Promise<void>;

/** `ended` aborts when the role ends, even by an error. */
type RoleWork = (adapters: Adapters, resources: { tempDir: string; ended: AbortSignal }) => Promise<void>;

export async function runAsRole(name: string, options: RoleOptions, work: RoleWork): Promise<void> {
  const ending = new AbortController();
  const { config, addresses, logger, signal } = options;
  setMaxListeners(0, signal); // every loop of the role listens to it, so more than ten listeners are no leak
  const adapters = await openAdapters(config, addresses, name, logger);
  const tempDir = await createTempDir(config, name);
  try {
    await retryUntilUp(() => prepareTables(adapters), logger, signal);
    const ended = AbortSignal.any([signal, ending.signal]);
    void restoreLostTables(adapters, logger, ended);
    // Writes LogCreated if the event log has none yet. Not awaited, since the API also serves requests while the event store is down.
    void retryUntilUp(() => logIdOf(adapters.eventStore), logger, signal).catch((error: unknown) =>
      logger.error({ err: error }, "the log has no id, and could not be given one"),
    );
    if (!signal.aborted) await work(adapters, { tempDir, ended });
  } finally {
    ending.abort();
    await adapters.close();
    await rm(tempDir, { recursive: true, force: true });
  }
}

/** For the API, which stores submissions. If the store is down, the bucket is created later. The API serves other requests until then. */
export async function prepareObjects(objectStore: ObjectStore, logger: Logger, signal: AbortSignal): Promise<void> {
  if (await isUsable(objectStore.prepare(), logger, "the object store is not available: pushes are answered 503 until it is")) return;
  void retryUntilUp(() => objectStore.prepare(), logger, signal).catch((fault: unknown) =>
    logger.error({ err: fault }, "the object store cannot be used"),
  );
}

/** For a worker, which creates no bucket: under a wrong name in the settings it would create an empty one, and then fail the imports. */
export async function checkObjects(objectStore: ObjectStore, logger: Logger): Promise<void> {
  await isUsable(objectStore.ping(), logger, "the object store cannot be used: imports wait until it can");
}

async function isUsable(attempt: Promise<void>, logger: Logger, warning: string): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.fault === "misconfigured") throw error;
    logger.warn({ err: error }, warning);
    return false;
  }
}
