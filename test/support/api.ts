// The whole API in this process, on real stores of the test file's own. Further APIs on the same stores stand for further processes.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { connectEventStore } from "../../src/adapters/eventStore/connect.js";
import { bundledLocalities } from "../../src/adapters/localities/bundled.js";
import { createMetrics } from "../../src/adapters/metrics.js";
import { createFileObjectStore } from "../../src/adapters/objectStore/fileObjectStore.js";
import { createPool } from "../../src/adapters/postgres/pool.js";
import { transaction } from "../../src/adapters/postgres/transaction.js";
import { spreadsheets } from "../../src/adapters/spreadsheets/spreadsheets.js";
import { createKey, revokeKey } from "../../src/commands/keys.js";
import type { OrganisationDeps } from "../../src/commands/organisation.js";
import { applyOrganisation } from "../../src/commands/organisationApply.js";
import { parseOrganisationFile } from "../../src/domain/catalogue/organisationFile.js";
import { createGeography, type Geography } from "../../src/domain/geography/geography.js";
import type { ApiDeps } from "../../src/http/deps.js";
import { startApi } from "../../src/http/startApi.js";
import { catchUpOrganisation } from "../../src/projections/organisations.js";
import { cacheCatalogues } from "../../src/queries/catalogueCache.js";
import { startTestEventStore, type TestEventStore } from "./eventStore.js";
import { createTestDatabase, type TestDatabase } from "./postgres.js";

const logger = pino({ level: "silent" });
const origin = { actor: "test", correlationId: "test" };
const signingSecret = "a secret of thirty-two characters";

export interface ApiProcess {
  readonly url: string;
  readonly deps: ApiDeps;
  request(path: string, options?: { method?: string; key?: string; body?: unknown; headers?: Record<string, string> }): Promise<Response>;
  stop(): Promise<void>;
}

export interface TestApi extends ApiProcess {
  readonly database: TestDatabase;
  readonly eventStore: TestEventStore;
  /** Applies an organisation file, as `org apply` does. */
  apply(file: unknown): Promise<void>;
  createKey(organisationId: string): Promise<string>;
  revokeKey(organisationId: string, key: string): Promise<void>;
  /** One more API on the same stores, with connections of its own. */
  another(overrides?: Partial<ApiDeps>): Promise<ApiProcess>;
  close(): Promise<void>;
}

export async function startTestApi(overrides: Partial<ApiDeps> = {}): Promise<TestApi> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "waybill-test-api-"));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const database = await createTestDatabase();
    closers.push(() => database.close());
    const eventStore = await startTestEventStore();
    closers.push(() => eventStore.stop());
    const another = async (more: Partial<ApiDeps> = {}) => {
      const api = await startProcess({ database, eventStore, folder }, { ...overrides, ...more });
      closers.push(() => api.stop());
      return api;
    };
    const api = await another();
    return { ...api, ...organisationCommands(api.deps), database, eventStore, another, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Stores {
  readonly database: TestDatabase;
  readonly eventStore: TestEventStore;
  readonly folder: string;
}

async function startProcess({ database, eventStore, folder }: Stores, overrides: Partial<ApiDeps>): Promise<ApiProcess> {
  const pool = createPool({ url: database.url, applicationName: "test api" });
  const objectStore = createFileObjectStore({ folder, publicUrl: "http://127.0.0.1", signingSecret });
  const events = connectEventStore({ address: eventStore.address, logger });
  const deps: ApiDeps = {
    pool,
    eventStore: events,
    objectStore,
    openLink: objectStore.openLink,
    spreadsheets,
    catalogues: cacheCatalogues(pool),
    geography: geography(),
    tempDir: folder,
    logger,
    metrics: createMetrics(),
    limits: { rateLimitPerMinute: 1_000_000, maxQueuedImports: 20 },
    publicUrl: "http://127.0.0.1",
    signingSecret,
    ...overrides,
  };
  const server = await startApi({ deps, host: "127.0.0.1", port: 0, logger });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    deps,
    request: (path, { method, key, body, headers } = {}) =>
      fetch(url + path, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(key === undefined ? {} : { "x-api-key": key }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    stop: async () => {
      await server.stop();
      await events.close();
      await pool.end();
    },
  };
}

let loaded: Geography | undefined;
const geography = () => {
  loaded ??= createGeography(bundledLocalities);
  return loaded;
};

function organisationCommands({ pool, eventStore: events }: ApiDeps): Pick<TestApi, "apply" | "createKey" | "revokeKey"> {
  const deps: OrganisationDeps = {
    events,
    project: (organisationId) => catchUpOrganisation({ events, inTransaction: (work) => transaction(pool, work) }, organisationId),
    now: async () => (await pool.query<{ now: Date }>("select now() as now")).rows[0]?.now ?? new Date(),
    newId: randomUUID,
  };
  return {
    apply: async (file) => {
      const parsed = parseOrganisationFile(file);
      if (!parsed.ok) throw new Error(parsed.faults.join("; "));
      await applyOrganisation(deps, parsed.file, origin);
    },
    createKey: async (organisationId) => (await createKey(deps, { organisationId, name: "test" }, origin)).key,
    revokeKey: async (organisationId, key) => void (await revokeKey(deps, { organisationId, prefix: key }, origin)),
  };
}
