// Builds the vendors' clients and hands them to the code that uses them.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { connectEventStore } from "../adapters/eventStore/connect.js";
import { createFileObjectStore } from "../adapters/objectStore/fileObjectStore.js";
import { createPasswords } from "../adapters/passwords.js";
import { isDatabaseUnavailable } from "../adapters/postgres/errors.js";
import { endLostSessions } from "../adapters/postgres/lostSessions.js";
import { createPool, transaction } from "../adapters/postgres/pool.js";
import { createPost } from "../adapters/webhooks/post.js";
import { backOffMs } from "../backOff.js";
import type { MemberDeps } from "../commands/members/changeMember.js";
import type { LocalitiesDeps } from "../commands/organisations/localities.js";
import type { OrganisationDeps } from "../commands/organisations/organisationStream.js";
import type { WebhookDeps } from "../commands/organisations/webhooks.js";
import type { Config } from "../config.js";
import { ensureUsableFolder } from "../embedded/dataFolder.js";
import { StoreUnavailable } from "../portErrors.js";
import type { ObjectStore } from "../ports/objectStore.js";
import { catchUpMember } from "../projections/models/members.js";
import { catchUpLocalities, catchUpOrganisation } from "../projections/models/organisations.js";
import type { Addresses } from "../supervisor/openStores.js";
import { createOwnFolder } from "../workers/imports/upkeep/temporaryFolders.js";

export type Adapters = Awaited<ReturnType<typeof openAdapters>>;

const maxLookUpConnections = 4;

export async function openAdapters(config: Config, addresses: Addresses, role: string, logger: Logger) {
  const storeLimits = storeLimitsByRole[role] ?? noLimits;
  const objectStore = await openObjectStore(config, addresses.signingSecret, storeLimits.objects);
  const onError = (error: Error) => logger.warn({ err: error }, "an idle database connection was lost");
  const applicationName = `waybill ${role}`;
  const shared = { url: addresses.databaseUrl, max: 12, statementTimeoutMs: 0, ...storeLimits.database, onError };
  const pool = createPool({ ...shared, applicationName });
  const lookUpPool = createPool({ ...shared, applicationName: `${applicationName} look-ups`, max: maxLookUpConnections });
  const onLost = (pid: number) =>
    logger.warn({ pid }, "a database session's answer was lost on the network; the session is ended and its work is done again");
  const stopWatching = role === "api" ? () => undefined : endLostSessions(pool, { applicationName, onLost });
  const eventStore = connectEventStore({ address: addresses.eventStoreUrl, logger, ...storeLimits.events });
  return {
    pool,
    /** A few connections that only look up keys and sessions, so that other work does not delay finding out who sends a request. */
    lookUpPool,
    eventStore,
    objectStore,
    close: async () => {
      objectStore.close?.();
      stopWatching();
      await Promise.allSettled([pool.end(), lookUpPool.end(), eventStore.close()]);
    },
  };
}

const noLimits = { database: {}, events: {}, objects: {} };
/**
 * The limits of each role's clients of the stores; times in ms. The API's limits are short, since its callers wait. A projector's statement
 * may take ten minutes, since it may write a whole import: a million rows. Limits that are not named
 * here are the adapters' defaults; statements of `start` and of the commands, such as a rebuild, have none.
 */
const storeLimitsByRole: Partial<Record<string, { database: object; events: object; objects: object }>> = {
  api: {
    database: { max: 16, statementTimeoutMs: 15_000, answerTimeoutMs: 8_000 },
    events: { deadlineMs: 2_000, attempts: 3, patienceMs: 3_500 },
    objects: { silenceMs: 3_000, patienceMs: 1_000 },
  },
  worker: { ...noLimits, database: { statementTimeoutMs: 60_000, answerTimeoutMs: 65_000 } },
  projector: { ...noLimits, database: { statementTimeoutMs: 600_000 } },
};

async function openObjectStore(config: Config, signingSecret: string, limits: object): Promise<ObjectStore> {
  if (!config.s3) return createFileObjectStore({ folder: join(config.dataDir, "objects"), publicUrl: config.publicUrl, signingSecret });
  const { createS3ObjectStore } = await import("../adapters/objectStore/s3ObjectStore.js"); // loaded only for S3, since the client is large
  return createS3ObjectStore({ ...config.s3, ...limits });
}

/** Repeats `work` while a store is unavailable. Returns undefined if the signal aborts first. */
export async function retryUntilUp<Result>(work: () => Promise<Result>, logger: Logger, signal: AbortSignal): Promise<Result | undefined> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreUnavailable ? error.fault === "misconfigured" : !isDatabaseUnavailable(error)) throw error;
      const store = error instanceof StoreUnavailable ? error.store : "database";
      const retryInMs = backOffMs(failures, { firstMs: 200, maxMs: 5_000 });
      logger.warn({ err: error, retryInMs }, `waiting for the ${store}`);
      await pause(retryInMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Creates a folder for this process's temporary files. If the process is killed, a later process of the same role removes the folder. */
export async function createTempDir(config: Config, role: string): Promise<string> {
  if (!config.s3) await ensureUsableFolder(config.dataDir, "DATA_DIR");
  const parent = config.s3 ? tmpdir() : join(config.dataDir, "tmp");
  return createOwnFolder(parent, `waybill-${role}`);
}

const transactionsOf =
  (pool: pg.Pool) =>
  <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    transaction(pool, work);

export function organisationDeps({ pool, eventStore }: Adapters): OrganisationDeps {
  const projection = { eventStore, inTransaction: transactionsOf(pool) };
  const project = (organisationId: string) => catchUpOrganisation(projection, organisationId);
  return { eventStore, project, now: () => databaseClock(pool) };
}

export const memberDeps = ({ pool, eventStore }: Pick<Adapters, "pool" | "eventStore">): MemberDeps => ({
  eventStore,
  pool,
  inTransaction: transactionsOf(pool),
  project: (client, memberId) => catchUpMember(client, eventStore, memberId),
  passwords: createPasswords(),
  now: () => databaseClock(pool),
});

export function localitiesDeps({ pool, eventStore, objectStore }: Adapters): LocalitiesDeps {
  const project = (country: string) => catchUpLocalities({ eventStore, database: pool }, country);
  return { eventStore, objectStore, project, now: () => databaseClock(pool) };
}

async function databaseClock(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>("select now() as now");
  return rows[0]?.now as Date;
}

export function webhookDeps(adapters: Adapters, { webhookPrivate }: Config, signingSecret: string): WebhookDeps {
  return { ...organisationDeps(adapters), rules: { allowPrivate: webhookPrivate }, signingSecret };
}

export function webhookWorkerDeps(adapters: Adapters, config: Config, signingSecret: string) {
  const { pool, eventStore, objectStore } = adapters;
  const { rules, ...organisations } = webhookDeps(adapters, config, signingSecret);
  return {
    pool,
    eventStore,
    objectStore,
    organisations,
    rules,
    signingSecret,
    inTransaction: transactionsOf(pool),
    post: createPost(),
  };
}
