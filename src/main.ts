// The roles: each is one process, given its configuration, the stores' addresses and a logger.
import { rm } from "node:fs/promises";
import type { Logger } from "pino";
import { bundledLocalities } from "./adapters/localities/bundled.js";
import { createMetrics } from "./adapters/metrics.js";
import { spreadsheets } from "./adapters/spreadsheets/spreadsheets.js";
import type { Config } from "./config.js";
import { createGeography } from "./domain/geography/geography.js";
import { startApi } from "./http/startApi.js";
import { migrateWhenUp, openAdapters, ownTempDir } from "./main/adapters.js";
import { runProjector as project } from "./projections/runProjector.js";
import { cacheCatalogues } from "./queries/catalogueCache.js";
import type { Addresses } from "./supervisor/openStores.js";

export interface RoleOptions {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly logger: Logger;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Called once the role does its work. */
  readonly onReady: () => void;
}

/** Resolves when the signal has aborted and everything is closed. */
export async function runApi({ config, addresses, logger, signal, onReady }: RoleOptions): Promise<void> {
  const adapters = openAdapters(config, addresses, "api", logger);
  const tempDir = await ownTempDir(config, "api");
  try {
    await migrateWhenUp(adapters.pool, logger, signal);
    if (signal.aborted) return;
    const { pool, eventStore, objectStore, openLink } = adapters;
    const limits = { rateLimitPerMinute: config.rateLimitPerMinute, maxQueuedImports: config.maxQueuedImports };
    const deps = {
      ...{ pool, eventStore, objectStore, spreadsheets, tempDir, logger, limits },
      ...(openLink ? { openLink } : {}),
      catalogues: cacheCatalogues(pool),
      geography: createGeography(bundledLocalities),
      metrics: createMetrics(),
      publicUrl: config.publicUrl,
      signingSecret: addresses.signingSecret,
    };
    const api = await startApi({ deps, host: config.host, port: config.port, logger });
    onReady();
    await aborted(signal);
    await api.stop();
  } finally {
    await adapters.close();
    await rm(tempDir, { recursive: true, force: true });
  }
}

export async function runWorker({ config, addresses, logger, signal, onReady }: RoleOptions): Promise<void> {
  const adapters = openAdapters(config, addresses, "worker", logger);
  try {
    await migrateWhenUp(adapters.pool, logger, signal);
    onReady();
    await aborted(signal);
  } finally {
    await adapters.close();
  }
}

export async function runProjector({ config, addresses, logger, signal, onReady }: RoleOptions): Promise<void> {
  const adapters = openAdapters(config, addresses, "projector", logger);
  try {
    await migrateWhenUp(adapters.pool, logger, signal);
    onReady();
    await project({ pool: adapters.pool, eventStore: adapters.eventStore, logger, signal });
  } finally {
    await adapters.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) settle();
    signal.addEventListener("abort", () => settle(), { once: true });
  });
}
