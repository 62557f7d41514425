// The API of a whole service on stores of the test's own, in this process and on a real socket.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { pino } from "pino";
import { connectEventStore } from "../../src/adapters/eventStore/connect.js";
import { bundledLocalities } from "../../src/adapters/localities/storedLocalities.js";
import { createMetrics } from "../../src/adapters/metrics.js";
import type { FileObjectStore } from "../../src/adapters/objectStore/fileObjectStore.js";
import { createPool, transaction } from "../../src/adapters/postgres/pool.js";
import { createPoolForReads } from "../../src/adapters/postgres/reads.js";
import { spreadsheets } from "../../src/adapters/spreadsheets/spreadsheets.js";
import { createHeaderThreads } from "../../src/adapters/spreadsheets/threads/headerThreads.js";
import { createKey } from "../../src/commands/organisations/keys.js";
import { applyOrganisation } from "../../src/commands/organisations/organisation.js";
import type { OrganisationDeps } from "../../src/commands/organisations/organisationStream.js";
import { parseOrganisationFile } from "../../src/domain/catalogue/organisationFile.js";
import { createGeography } from "../../src/domain/geography/geography.js";
import type { ApiDeps } from "../../src/http/api/deps.js";
import type { PortalOptions } from "../../src/http/portal/pageDefinition.js";
import { memberDeps } from "../../src/main/adapters.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { catchUpOrganisation } from "../../src/projections/models/organisations.js";
import { cacheCatalogues } from "../../src/queries/organisations/organisations.js";
import { checksHere } from "./checksHere.js";
import { organisationFile } from "./organisationFile.js";
import { startApi } from "./startApi.js";
import { type Own, starting } from "./starting.js";
import type { TestEventStore } from "./stores/eventStore.js";
import { startHostedEventStore } from "./stores/hostedEventStore.js";
import { createTestDatabase } from "./stores/postgres.js";
import { createTestObjectStore } from "./stores/stores.js";

/** Reads the localities that the build has prepared, as the product does. */
export const geography = createGeography(bundledLocalities);

export interface TestService {
  readonly url: string;
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly store: TestEventStore;
  readonly objectStore: FileObjectStore;
  readonly deps: ApiDeps;
  readonly portal: PortalOptions;
  /** A new organisation with its own key. */
  organisation(change?: (file: ReturnType<typeof organisationFile>) => unknown): Promise<TestOrganisation>;
  /** Another API process, as far as the stores can tell: its own port, the same stores. */
  startAnotherApi(): Promise<string>;
  close(): Promise<void>;
}

export interface TestOrganisation {
  readonly id: string;
  readonly key: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  upload(path: string, file: File, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

export async function startTestService(
  limits: Partial<ApiDeps["limits"]> = {},
  publicUrl = "http://127.0.0.1:3000",
  parts: Partial<PortalOptions> = {},
  startStore = startHostedEventStore,
): Promise<TestService> {
  return starting((own) => startParts(own, { limits, publicUrl, parts, startStore }));
}

interface Parts {
  readonly limits: Partial<ApiDeps["limits"]>;
  readonly publicUrl: string;
  readonly parts: Partial<PortalOptions>;
  readonly startStore: () => Promise<TestEventStore>;
}

async function startParts(own: Own, { limits, publicUrl, parts, startStore }: Parts): Promise<Omit<TestService, "close">> {
  const database = await own(createTestDatabase(), ({ close }) => close());
  const store = await own(startStore(), ({ stop }) => stop());
  const objects = await own(createTestObjectStore(), ({ close }) => close());
  const tempDir = await own(mkdtemp(join(tmpdir(), "waybill-test-temp-")), (folder) => rm(folder, { recursive: true, force: true }));
  const logger = pino({ level: process.env["TEST_LOG_LEVEL"] ?? "silent" });
  const lookUpPool = await own(createPool({ url: database.socketUrl, applicationName: "test look-ups", max: 4 }), (pool) => pool.end());
  const headerRows = await own(createHeaderThreads(), (threads) => threads.close());
  const eventStore = await own(connectEventStore({ address: store.address, logger }), (connected) => connected.close());
  const deps: ApiDeps = {
    pool: database.pool,
    lookUpPool,
    poolForReads: createPoolForReads(),
    eventStore,
    objectStore: objects.store,
    spreadsheets,
    headerRows,
    catalogues: cacheCatalogues(database.pool),
    geography,
    tempDir,
    logger,
    metrics: createMetrics(),
    limits: { rateLimitPerMinute: 1_000_000, maxQueuedImports: 20, ...limits },
    publicUrl,
    signingSecret: "a secret of thirty-two characters",
  };
  const organisations = organisationDeps(database.pool, eventStore);
  const portal = {
    fileChecks: checksHere(geography), // checking.test.ts and the browser's tests check them in processes
    trustedProxies: new BlockList(),
    ...{ ...deps, organisations, members: memberDeps({ pool: database.pool, eventStore }) },
    webhooks: { ...organisations, rules: { allowPrivate: true }, signingSecret: deps.signingSecret },
    ...parts,
  };
  const start = async (of: ApiDeps) => {
    const { port } = await own(startApi({ deps: { ...of, portal }, host: "127.0.0.1", port: 0, logger }), (api) => api.stop());
    return `http://127.0.0.1:${port}`;
  };
  const url = await start(deps);
  return {
    url,
    pool: database.pool,
    eventStore,
    store,
    objectStore: objects.store,
    deps,
    portal,
    organisation: (change) => newOrganisation({ url, pool: database.pool, eventStore }, change),
    startAnotherApi: () => start({ ...deps, catalogues: cacheCatalogues(deps.pool) }),
  };
}

export function organisationDeps(pool: Pool, eventStore: EventStore): OrganisationDeps {
  return {
    eventStore,
    project: (organisationId) => catchUpOrganisation({ eventStore, inTransaction: (work) => transaction(pool, work) }, organisationId),
    now: async () => (await pool.query<{ now: Date }>("select now()")).rows[0]?.now ?? new Date(),
  };
}

async function newOrganisation(
  { url, pool, eventStore }: { url: string; pool: Pool; eventStore: EventStore },
  change: (file: ReturnType<typeof organisationFile>) => unknown = () => undefined,
): Promise<TestOrganisation> {
  const id = `org-${randomUUID().slice(0, 8)}`;
  const file = organisationFile(id);
  change(file);
  const parsed = parseOrganisationFile(file);
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  const deps = organisationDeps(pool, eventStore);
  const origin = { by: { kind: "cli" as const, id: "test" }, correlationId: randomUUID() };
  await applyOrganisation({ ...deps, project: async () => undefined }, parsed.file, origin); // the key's creation projects both
  const { key } = await createKey(deps, { organisationId: id, name: "test" }, origin);
  const call = (path: string, init: RequestInit) => fetch(path.startsWith("http") ? path : `${url}${path}`, init);
  return {
    id,
    key,
    get: (path, headers = {}) => call(path, { headers: { "x-api-key": key, ...headers } }),
    post: (path, body, headers = {}) =>
      call(path, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    upload: (path, file_, fields = {}, headers = {}) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append("file", file_);
      return call(path, { method: "POST", headers: { "x-api-key": key, ...headers }, body: form });
    },
  };
}
