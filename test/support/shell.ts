// The HTTP shell on a real database, with routes of the test's own choosing and without the other two stores.
import { randomBytes, randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import type pg from "pg";
import { type Logger, pino } from "pino";
import { createMetrics } from "../../src/adapters/metrics.js";
import { createPoolForReads } from "../../src/adapters/postgres/reads.js";
import { spreadsheets } from "../../src/adapters/spreadsheets/spreadsheets.js";
import { hashApiKey, makeApiKey } from "../../src/domain/apiKey.js";
import { createGeography } from "../../src/domain/geography/geography.js";
import type { ApiDeps } from "../../src/http/api/deps.js";
import type { Route } from "../../src/http/api/route.js";
import { createApp } from "../../src/http/app.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import type { ObjectStore } from "../../src/ports/objectStore.js";

export interface ShellOptions {
  readonly rateLimitPerMinute?: number;
  readonly routes?: readonly Route[];
  readonly logger?: Logger;
  readonly deps?: Partial<ApiDeps>;
}

export function shellDeps(pool: pg.Pool, options: ShellOptions = {}): ApiDeps {
  const answers = { ping: async () => undefined };
  return {
    pool,
    lookUpPool: pool,
    poolForReads: createPoolForReads(),
    eventStore: answers as unknown as EventStore,
    objectStore: answers as unknown as ObjectStore,
    spreadsheets,
    headerRows: { readHeader: (_, { path, name }) => spreadsheets.readHeader(path, name), readValues: async () => [] },
    catalogues: () => Promise.reject(new Error("this shell has no catalogue")),
    geography: createGeography(() => undefined),
    tempDir: tmpdir(),
    logger: options.logger ?? pino({ level: "silent" }),
    metrics: createMetrics(),
    limits: { rateLimitPerMinute: options.rateLimitPerMinute ?? 1_000_000, maxQueuedImports: 20 },
    publicUrl: "http://127.0.0.1",
    signingSecret: "a secret that only tests know",
    ...options.deps,
  };
}

export const createShell = (pool: pg.Pool, options: ShellOptions = {}) => createApp(shellDeps(pool, options), options.routes);

/** An organisation with one key, written straight into the tables that authentication reads. */
export async function insertOrganisation(pool: pg.Pool): Promise<{ organisationId: string; keyId: string; key: string }> {
  const organisationId = `org-${randomUUID()}`;
  await pool.query("insert into organisations (id, name, timezone, catalogue_version, revision) values ($1, $1, 'UTC', 7, 0)", [
    organisationId,
  ]);
  return { organisationId, ...(await insertKey(pool, organisationId)) };
}

/** `keyId`: of a key that gets one more secret. Without scopes the key may do everything, as one of the version before. */
export async function insertKey(
  pool: pg.Pool,
  organisationId: string,
  { scopes, keyId = randomUUID() }: { scopes?: readonly string[]; keyId?: string } = {},
): Promise<{ keyId: string; key: string }> {
  const key = makeApiKey(randomBytes);
  await pool.query(
    "insert into api_keys (sha256, key_id, organisation_id, name, prefix, created_at, scopes) values ($1, $2, $3, 'test', $4, now(), $5)",
    [hashApiKey(key), keyId, organisationId, key.slice(0, 12), scopes ?? null],
  );
  return { keyId, key };
}
