import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { openNotices } from "../../adapters/postgres/notices.js";
import { spreadsheets } from "../../adapters/spreadsheets/spreadsheets.js";
import { channels } from "../../ports/notices.js";
import { cacheCatalogues } from "../../queries/organisations/organisations.js";
import { runWorker } from "../../workers/imports/runWorker.js";
import { runWebhooks } from "../../workers/webhooks/runWebhooks.js";
import { webhookWorkerDeps } from "../adapters.js";
import { createLocalities, preloadLocalities } from "../localities.js";
import { lowerPriority } from "../lowerPriority.js";
import { checkObjects, type RunRole, runAsRole } from "./role.js";

export const run: RunRole = (options) => {
  const { config, addresses, logger, signal, onReady } = options;
  lowerPriority();
  return runAsRole("worker", options, async (adapters, { tempDir }) => {
    const { pool, eventStore, objectStore } = adapters;
    await checkObjects(objectStore, logger);
    const localities = createLocalities({ pool, objectStore, folder: tempDir });
    await preloadLocalities(localities, logger);
    const notices = openNotices({
      url: addresses.databaseUrl,
      applicationName: "waybill worker notices",
      channels: [channels.importQueued, channels.importCancelled, channels.reportWanted, channels.deliveriesDue],
      onError: (error) => logger.warn({ err: error }, "listening for notices of other processes was interrupted"),
      onPooler: () =>
        logger.info(
          "the database is behind a connection pooler, which passes no notifications: the worker looks for queued, cancelled and due work every second or more often",
        ),
      signal,
    });
    onReady();
    const workerId = newWorkerId();
    const imports = runWorker({
      pool,
      eventStore,
      objectStore,
      spreadsheets,
      localities,
      logger,
      signal,
      tempDir,
      workerId,
      catalogues: cacheCatalogues(pool),
      notices,
    });
    const senderDeps = webhookWorkerDeps(adapters, config, addresses.signingSecret);
    const webhooks = runWebhooks({ ...senderDeps, notices, logger, signal, workerId });
    await Promise.all([imports, webhooks]);
  });
};

/** Host name and process id, for people, and a random part, because two containers can have the same host name and process id. */
export const newWorkerId = (): string => `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
