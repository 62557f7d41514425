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
import { ensureUsable } from "../embedded/dataFolder.js";
import { StoreUnavailable } from "../portErrors.js";
import type { ObjectStore } from "../ports/objectStore.js";
import { catchUpMember } from "../projections/models/members.js";
import { catchUpLocalities, catchUpOrganisation } from "../projections/models/organisations.js";
import type { Addresses } from "../supervisor/openStores.js";
import { ownFolder } from "../workers/imports/upkeep/temporaryFolders.js";

export type Adapters = Awaited<ReturnType<typeof openAdapters>>;

const mostLookUps = 4;

export async function openAdapters(config: Config, addresses: Addresses, role: string, logger: Logger) {
  const objectStore = await openObjectStore(config, addresses.signingSecret, (patienceOf[role] ?? none).objects);
  const onError = (error: Error) => logger.warn({ err: error }, "an idle database connection was lost");
  const { database, events } = patienceOf[role] ?? none;
  const applicationName = `waybill ${role}`;
  const shared = { url: addresses.databaseUrl, max: 12, statementTimeout: 0, ...database, onError };
  const pool = createPool({ ...shared, applicationName });
  const lookUps = createPool({ ...shared, applicationName: `${applicationName} look-ups`, max: mostLookUps });
  const onLost = (pid: number) =>
    logger.warn({ pid }, "a database session's answer was lost on the network; the session is ended and its work is done again");
  const unwatch = role === "api" ? () => undefined : endLostSessions(pool, { applicationName, onLost });
  const eventStore = connectEventStore({ address: addresses.eventStoreUrl, logger, ...events });
  return {
    pool,
    /** A few connections that only look up keys and sessions, so that no other work delays a request before it is known who asks. */
    lookUps,
    eventStore,
    objectStore,
    close: async () => {
      objectStore.close?.();
      unwatch();
      await Promise.allSettled([pool.end(), lookUps.end(), eventStore.close()]);
    },
  };
}

const none = { database: {}, events: {}, objects: {} };
/**
 * How long each role waits for the stores. The API answers within five seconds even if a store does not; a worker waits longer. The
 * projector waits for the database without a limit, since one statement may write a whole import: a million rows. Commands such as a
 * rebuild have no limit at all. All in ms.
 */
const patienceOf: Partial<Record<string, { database: object; events: object; objects: object }>> = {
  api: {
    database: { max: 16, statementTimeout: 15_000, answerTimeout: 8_000 },
    events: { deadlineMs: 2_000, attempts: 3, patienceMs: 3_500 },
    objects: { silenceMs: 3_000, patienceMs: 1_000 },
  },
  worker: { ...none, database: { statementTimeout: 60_000, answerTimeout: 65_000 } },
  projector: { ...none, database: { statementTimeout: 600_000 } },
};

async function openObjectStore(config: Config, signingSecret: string, patience: object): Promise<ObjectStore> {
  if (!config.s3) return createFileObjectStore({ folder: join(config.dataDir, "objects"), publicUrl: config.publicUrl, signingSecret });
  const { createS3ObjectStore } = await import("../adapters/objectStore/s3ObjectStore.js"); // a large client, for S3 alone
  return createS3ObjectStore({ ...config.s3, ...patience });
}

/** Repeats `work` while a store is unavailable. Undefined when the signal aborts first. */
export async function retryUntilUp<Result>(work: () => Promise<Result>, logger: Logger, signal: AbortSignal): Promise<Result | undefined> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreUnavailable ? error.fault === "misconfigured" : !isDatabaseUnavailable(error)) throw error;
      const store = error instanceof StoreUnavailable ? error.store : "database";
      const retryInMs = backOffMs(failures, { firstMs: 200, mostMs: 5_000 });
      logger.warn({ err: error, retryInMs }, `waiting for the ${store}`);
      await pause(retryInMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** A folder for this process's temporary files. Below DATA_DIR the next start removes what a killed process left. */
export async function ownTempDir(config: Config, role: string): Promise<string> {
  if (!config.s3) await ensureUsable(config.dataDir, "DATA_DIR");
  const parent = config.s3 ? tmpdir() : join(config.dataDir, "tmp");
  return ownFolder(parent, `waybill-${role}`);
}

const transactionsOf =
  (pool: pg.Pool) =>
  <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    transaction(pool, work);

export function organisationDeps({ pool, eventStore }: Adapters): OrganisationDeps {
  const projection = { events: eventStore, inTransaction: transactionsOf(pool) };
  const project = (organisationId: string) => catchUpOrganisation(projection, organisationId);
  return { events: eventStore, project, now: () => databaseClock(pool) };
}

export const memberDeps = ({ pool, eventStore }: Pick<Adapters, "pool" | "eventStore">): MemberDeps => ({
  events: eventStore,
  pool,
  inTransaction: transactionsOf(pool),
  project: (client, memberId) => catchUpMember(client, eventStore, memberId),
  passwords: createPasswords(),
  now: () => databaseClock(pool),
});

export function localitiesDeps({ pool, eventStore, objectStore }: Adapters): LocalitiesDeps {
  const project = (country: string) => catchUpLocalities({ events: eventStore, database: pool }, country);
  return { events: eventStore, objects: objectStore, project, now: () => databaseClock(pool) };
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
