import { once } from "node:events";
import { createMetrics } from "../../adapters/metrics.js";
import { openNotices } from "../../adapters/postgres/notices.js";
import { createPoolForReads } from "../../adapters/postgres/reads.js";
import { createSingleSignOn } from "../../adapters/singleSignOn.js";
import { spreadsheets } from "../../adapters/spreadsheets/spreadsheets.js";
import { createHeaderThreads } from "../../adapters/spreadsheets/threads/headerThreads.js";
import { serveApi } from "../../http/app.js";
import { singleSignOnPaths } from "../../http/portal/pages/signIn.js";
import type { OpenServer } from "../../http/server/startServer.js";
import { channels } from "../../ports/notices.js";
import { deliveriesByOutcome, oldestUnsentSeconds, projectionLagSeconds, unfinishedImports } from "../../queries/metrics.js";
import { cacheCatalogues } from "../../queries/organisations/organisations.js";
import { type Adapters, memberDeps, organisationDeps, webhookDeps } from "../adapters.js";
import { createCheckProcesses } from "../checking/checkProcesses.js";
import { createLocalities, followLocalities } from "../localities.js";
import { unfilledTables } from "../tables.js";
import { prepareObjects, type RoleOptions, runAsRole } from "./role.js";

const maxLagSeconds = 60;

/** The server already listens. It answers 503 until Postgres answers. */
export const run = (server: OpenServer, options: RoleOptions): Promise<void> => {
  const { config, addresses, logger, signal, onReady } = options;
  return runAsRole("api", options, async (adapters, { tempDir, ended }) => {
    const { pool, lookUpPool, eventStore, objectStore } = adapters;
    await prepareObjects(objectStore, logger, ended);
    const localities = createLocalities({ pool, objectStore, folder: tempDir });
    const notices = openNotices({
      url: addresses.databaseUrl,
      applicationName: "waybill api notices",
      channels: [channels.localitiesLoaded],
      onError: (error) => logger.debug({ err: error }, "listening for notices was interrupted"), // the pools warn when the database is lost
      signal: ended,
    });
    const geography = await followLocalities(localities, { logger, signal: ended, notices });
    const headerRows = createHeaderThreads();
    const fileChecks = createCheckProcesses({ localities: localities.files });
    const deps = {
      pool,
      lookUpPool,
      eventStore,
      objectStore,
      spreadsheets,
      headerRows,
      geography,
      tempDir,
      logger,
      poolForReads: createPoolForReads(),
      catalogues: cacheCatalogues(pool),
      metrics: createMetrics([
        { name: "waybill_projection_lag_seconds", help: "How far the read models are behind", read: () => projectionLagSeconds(pool) },
        { name: "waybill_imports_unfinished", help: "Imports that wait or run", read: () => unfinishedImports(pool) },
        {
          name: "waybill_webhook_deliveries",
          help: "Deliveries of the last 30 days by what became of them",
          label: "outcome",
          read: () => deliveriesByOutcome(pool),
        },
        {
          name: "waybill_webhook_oldest_unsent_seconds",
          help: "Age of the oldest delivery that has yet to succeed",
          read: () => oldestUnsentSeconds(pool),
        },
      ]),
      limits: { rateLimitPerMinute: config.rateLimitPerMinute, maxQueuedImports: config.maxQueuedImports },
      publicUrl: config.publicUrl,
      signingSecret: addresses.signingSecret,
      readiness: { projections: () => checkProjections(pool) },
    };
    const redirectUri = `${config.publicUrl}${singleSignOnPaths.finish}`;
    const portal = {
      ...deps,
      fileChecks,
      trustedProxies: config.trustedProxies,
      webhooks: webhookDeps(adapters, config, addresses.signingSecret),
      organisations: organisationDeps(adapters),
      members: memberDeps(adapters),
      singleSignOn: config.singleSignOn && createSingleSignOn({ ...config.singleSignOn, redirectUri, logger }),
    };
    const api = serveApi(server, { deps: { ...deps, portal } });
    onReady();
    if (!signal.aborted) await once(signal, "abort");
    await api.stop();
    await headerRows.close();
  });
};

async function checkProjections(pool: Adapters["pool"]): Promise<void> {
  const unfilled = await unfilledTables(pool);
  if (unfilled.length > 0) throw new Error(`tables are missing or being filled from the log: ${unfilled.join(", ")}`);
  const seconds = await projectionLagSeconds(pool);
  if (seconds !== undefined && seconds > maxLagSeconds) throw new Error(`the read models are ${Math.round(seconds)} s behind`);
}
