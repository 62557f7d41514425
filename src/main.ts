// The roles. Each is one process; it gets its configuration, the stores' addresses and a logger.
import { rm } from "node:fs/promises";
import type { Logger } from "pino";
import { createMetrics, type LookedUp } from "./adapters/metrics.js";
import { listen } from "./adapters/postgres/listen.js";
import { spreadsheets } from "./adapters/spreadsheets/spreadsheets.js";
import { createHeaderThreads } from "./adapters/spreadsheets/threads/headerThreads.js";
import { importQueuedChannel } from "./commands/imports/importQueue.js";
import { logIdOf } from "./commands/logIdentity.js";
import type { Config } from "./config.js";
import type { Geography } from "./domain/geography/geography.js";
import type { ReadinessCheck } from "./http/api/deps.js";
import { startApi } from "./http/startApi.js";
import { type Adapters, memberDeps, migrateWhenUp, openAdapters, organisationDeps, ownTempDir, whenUp } from "./main/adapters.js";
import { createCheckProcesses } from "./main/checking/checkProcesses.js";
import { createLocalities, followLocalities } from "./main/localities.js";
import { lowerPriority } from "./main/lowerPriority.js";
import { checkObjects, prepareObjects } from "./main/objects.js";
import { openSingleSignOn } from "./main/singleSignOn.js";
import { webhookDeps, webhookWorkerDeps } from "./main/webhooks.js";
import { newWorkerId } from "./main/workerId.js";
import { runProjector as project } from "./projections/running/runProjector.js";
import { cacheCatalogues } from "./queries/catalogueCache.js";
import { projectionLagSeconds } from "./queries/projectionLag.js";
import { createQuoteMemory } from "./queries/recentQuotes.js";
import { unfinishedImports } from "./queries/unfinishedImports.js";
import { deliveriesByOutcome, oldestUnsentSeconds } from "./queries/webhookMetrics.js";
import type { Addresses } from "./supervisor/openStores.js";
import { runWorker as work } from "./workers/imports/runWorker.js";
import { runWebhooks } from "./workers/webhooks/runWebhooks.js";

export interface RoleOptions {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly logger: Logger;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Called once, when the role is ready. */
  readonly onReady: () => void;
}

const mostLagSeconds = 60;

/** Each role resolves when the signal has aborted and everything is closed. */
export function runApi(options: RoleOptions): Promise<void> {
  const { config, addresses, logger, signal, onReady } = options;
  return asRole("api", options, async (adapters, { tempDir, ended }) => {
    const { pool, eventStore, objectStore, openLink } = adapters;
    await prepareObjects(objectStore, logger, ended);
    const localities = createLocalities({ pool, objectStore, folder: tempDir });
    const geography = await followLocalities(localities, logger, ended);
    warm(geography);
    const headerRows = createHeaderThreads();
    const fileChecks = createCheckProcesses({ localities: localities.files });
    const deps = {
      ...{ pool, eventStore, objectStore, spreadsheets, headerRows, geography, tempDir, logger },
      ...(openLink ? { openLink } : {}),
      catalogues: cacheCatalogues(pool),
      quoteMemory: createQuoteMemory(),
      metrics: createMetrics([
        { name: "waybill_projection_lag_seconds", help: "How far the read models are behind", read: () => projectionLagSeconds(pool) },
        { name: "waybill_imports_unfinished", help: "Imports that wait or run", read: () => unfinishedImports(pool) },
        ...webhookMetrics(pool),
      ]),
      limits: { rateLimitPerMinute: config.rateLimitPerMinute, maxQueuedImports: config.maxQueuedImports },
      publicUrl: config.publicUrl,
      signingSecret: addresses.signingSecret,
      readiness: [lagCheck(pool)],
    };
    const portal = {
      ...deps,
      fileChecks,
      webhooks: webhookDeps(adapters, config, addresses.signingSecret),
      ...{ organisations: organisationDeps(adapters), members: memberDeps(adapters), singleSignOn: openSingleSignOn(config, logger) },
    };
    const api = await startApi({ deps: { ...deps, portal }, host: config.host, port: config.port, logger });
    onReady();
    await aborted(signal);
    await api.stop();
    await headerRows.close();
  });
}

export function runWorker(options: RoleOptions): Promise<void> {
  const { config, addresses, logger, signal, onReady } = options;
  lowerPriority();
  return asRole("worker", options, async (adapters, { tempDir }) => {
    const { pool, eventStore, objectStore } = adapters;
    await checkObjects(objectStore, logger);
    const localities = createLocalities({ pool, objectStore, folder: tempDir });
    warm(await localities.geography(await localities.current()));
    const onError = (error: Error) => logger.warn({ err: error }, "listening for queued imports was interrupted");
    const onPooler = () => logger.info("a connection pooler stands before the database: queued imports are looked for once a second");
    const applicationName = "waybill worker doorbell";
    const doorbell = { url: addresses.databaseUrl, applicationName, channel: importQueuedChannel, onError, onPooler };
    onReady();
    const workerId = newWorkerId();
    const imports = work({
      ...{ pool, eventStore, objectStore, spreadsheets, localities, logger, signal, tempDir, workerId },
      catalogues: cacheCatalogues(pool),
      listen: (ring, until) => listen({ ...doorbell, onNotify: ring, signal: until }),
    });
    const webhooks = runWebhooks({ ...webhookWorkerDeps(adapters, config, addresses.signingSecret), logger, signal, workerId });
    await Promise.all([imports, webhooks]);
  });
}

export function runProjector(options: RoleOptions): Promise<void> {
  const { logger, signal, onReady } = options;
  lowerPriority();
  return asRole("projector", options, async ({ pool, eventStore }) => {
    onReady();
    await project({ pool, eventStore, logger, signal });
  });
}

/** `ended` aborts when the role ends, also when it ends with an error. */
type Run = (adapters: Adapters, own: { tempDir: string; ended: AbortSignal }) => Promise<void>;

async function asRole(name: string, options: RoleOptions, run: Run): Promise<void> {
  const ended = new AbortController();
  const { config, addresses, logger, signal } = options;
  const adapters = openAdapters(config, addresses, name, logger);
  const tempDir = await ownTempDir(config, name);
  try {
    await migrateWhenUp(adapters.pool, logger, signal);
    // Writes LogCreated if the log has none yet. Not awaited, since the API also answers while the event store is down.
    void whenUp(() => logIdOf(adapters.eventStore), logger, signal).catch((error: unknown) =>
      logger.error({ err: error }, "the log has no id, and could not be given one"),
    );
    if (!signal.aborted) await run(adapters, { tempDir, ended: AbortSignal.any([signal, ended.signal]) });
  } finally {
    ended.abort();
    await adapters.close();
    await rm(tempDir, { recursive: true, force: true });
  }
}

/** Loads Australia's localities now, so that the first request or import does not wait for it. */
function warm(geography: Geography): void {
  geography.resolve({ countryCode: "AU", postalCode: "2000" });
}

function webhookMetrics(pool: Adapters["pool"]): LookedUp[] {
  const byOutcome = () => deliveriesByOutcome(pool);
  const oldest = () => oldestUnsentSeconds(pool);
  return [
    {
      name: "waybill_webhook_deliveries",
      help: "Deliveries of the last 30 days by what became of them",
      label: "outcome",
      read: byOutcome,
    },
    { name: "waybill_webhook_oldest_unsent_seconds", help: "Age of the oldest delivery that has yet to succeed", read: oldest },
  ];
}

function lagCheck(pool: Adapters["pool"]): ReadinessCheck {
  const check = async () => {
    const seconds = await projectionLagSeconds(pool);
    if (seconds !== undefined && seconds > mostLagSeconds) throw new Error(`the read models are ${Math.round(seconds)} s behind`);
  };
  return { name: "projections", check };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) settle();
    signal.addEventListener("abort", () => settle(), { once: true });
  });
}
