// Real stores with organisations, and import workers that a test starts on them.
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { openNotices } from "../../../src/adapters/postgres/notices.js";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import type { ImportEvent } from "../../../src/commands/imports/importDecider.js";
import { requestImport } from "../../../src/commands/imports/requestImport.js";
import { logIdOf } from "../../../src/commands/logIdentity.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { createGeography } from "../../../src/domain/geography/geography.js";
import { decode } from "../../../src/events/codec.js";
import type { ImportColumns, ImportKind } from "../../../src/events/importEvents.js";
import { streamOf } from "../../../src/events/streams.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { channels } from "../../../src/ports/notices.js";
import { cacheCatalogues } from "../../../src/queries/organisations/organisations.js";
import type { WorkerDeps } from "../../../src/workers/imports/deps.js";
import { runWorker } from "../../../src/workers/imports/runWorker.js";
import { untilNextLook } from "../../support/eventually.js";
import { namesBelow } from "../../support/namesBelow.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { createTestDatabase } from "../../support/stores/postgres.js";
import { createTestObjectStore } from "../../support/stores/stores.js";

const localities = [
  { postalCode: "2000", suburb: "Sydney", city: "Sydney", state: "NSW", stateName: "New South Wales", poBox: false },
  { postalCode: "3000", suburb: "Melbourne", city: "Melbourne", state: "VIC", stateName: "Victoria", poBox: false },
];

const organisationFile = (id: string) => ({
  organisation: { id, name: id, cubicFactor: 250, timezone: "Australia/Sydney" },
  customFields: [{ key: "costCentre", label: "Cost centre" }],
  carriers: [{ id: "roadco", name: "RoadCo", mandatoryCustomFields: ["costCentre"] }],
  services: [],
  zoneMaps: [{ id: "hubs", zones: [{ zone: "EAST", country: "AU", postcodes: ["2000-3999"] }] }],
  rateCards: [],
  customers: [
    { id: "CUST-1", name: "One", carrierIds: ["roadco"], rateCardIds: [] },
    { id: "CUST-2", name: "Two", carrierIds: [], rateCardIds: [] },
  ],
});

export const activityHeader = "warehouseCode,chargeCode,quantity,activityTimestamp,reference";
export const goodActivity = (reference: string | number) => `W1,PICK,2,2026-03-01T09:30:00Z,${reference}`;
export const badActivity = (reference: string | number) => `W1,,2,2026-03-01T09:30:00Z,${reference}`;
export const activities = (count: number, row: (index: number) => string = goodActivity) =>
  [activityHeader, ...Array.from({ length: count }, (_, index) => row(index))].join("\n");

export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage(startStore = startHostedEventStore) {
  const database = await createTestDatabase();
  const store = await startStore();
  const objects = await createTestObjectStore();
  const tempDir = await mkdtemp(join(tmpdir(), "waybill-test-worker-"));
  const logger = pino({ level: process.env["TEST_LOG"] ?? "silent" });
  const eventStore = connectEventStore({ address: store.address, logger });
  const geography = createGeography((country) => (country === "AU" ? localities : undefined));
  const running = new Set<() => Promise<void>>();
  let workers = 0;
  const reportKey = async (importId: string) => `reports/${await logIdOf(eventStore)}/${importId}.xlsx`;

  const deps = (overrides: Partial<WorkerDeps> = {}): WorkerDeps => ({
    pool: database.pool,
    eventStore,
    objectStore: objects.store,
    spreadsheets,
    catalogues: cacheCatalogues(database.pool),
    localities: { currentVersions: async () => ({ NZ: "some-checksum" }), geography: async () => geography },
    logger,
    workerId: `w${++workers}`,
    tempDir,
    ...overrides,
  });

  return {
    pool: database.pool,
    databaseUrl: database.url,
    eventStore,
    objectStore: objects.store,
    objectsFolder: objects.folder,
    store,
    tempDir,
    deps,
    logger,
    /** Starts a worker. Closing the stage stops it. */
    start({ concurrency, ...overrides }: Partial<WorkerDeps> & { concurrency?: number } = {}) {
      const control = new AbortController();
      const { signal } = control;
      const notices = openNotices({ url: database.url, applicationName: "test worker", channels: Object.values(channels), signal });
      const done = Promise.all([
        notices.closed,
        runWorker({ notices, ...deps(overrides), ...(concurrency === undefined ? {} : { concurrency }), signal }),
      ]);
      const stop = async () => {
        control.abort();
        running.delete(stop);
        await done;
      };
      running.add(stop);
      return { stop };
    },
    async organisation(id: string): Promise<string> {
      await database.pool.query(
        "insert into organisations (id, name, timezone, catalogue_version, revision) values ($1, $1, 'Australia/Sydney', 1, 0) on conflict do nothing",
        [id],
      );
      const parsed = parseOrganisationFile(organisationFile(id));
      if (!parsed.ok) throw new Error(parsed.faults.join("; "));
      await database.pool.query("insert into catalogues (organisation_id, version, file) values ($1, 1, $2) on conflict do nothing", [
        id,
        JSON.stringify(parsed.file),
      ]);
      return id;
    },
    async push(
      organisationId: string,
      kind: ImportKind,
      csv: string | Buffer,
      more: {
        source?: "data" | "file";
        sha256?: string;
        name?: string;
        format?: "csv" | "xlsx";
        idempotencyKey?: string;
        columns?: ImportColumns;
        /** The event store to push into, by default the stage's own. */
        into?: EventStore;
      } = {},
    ) {
      const folder = await mkdtemp(join(tmpdir(), "waybill-test-push-"));
      try {
        const path = join(folder, "file");
        const bytes = Buffer.from(csv);
        await writeFile(path, bytes);
        const { importId } = await requestImport(
          { pool: database.pool, eventStore: more.into ?? eventStore, objectStore: objects.store, maxQueuedImports: 1000, logger },
          {
            organisationId,
            kind,
            source: more.source ?? "file",
            sourceDetails: "test",
            file: {
              path,
              name: more.name ?? "test.csv",
              format: more.format ?? "csv",
              size: bytes.length,
              sha256: more.sha256 ?? createHash("sha256").update(bytes).digest("hex"),
            },
            by: { kind: "key", id: "test" },
            requestId: "request-1",
            idempotencyKey: more.idempotencyKey,
            ...(more.columns ? { columns: more.columns } : {}),
            now: new Date(),
          },
        );
        return importId;
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    events: (importId: string) => eventsOf(eventStore, importId),
    async ended(importId: string, deadlineMs = 90_000): Promise<ImportEvent[]> {
      await until(
        async () => /^Import(Completed|Failed|Cancelled)$/.test((await eventStore.last(streamOf.import(importId)))?.type ?? ""),
        deadlineMs,
      );
      return eventsOf(eventStore, importId);
    },
    reportKey,
    /** The stored workbook, header first. */
    async report(importId: string): Promise<string[][]> {
      const path = join(tempDir, `report-${importId}`);
      await objects.store.fetch(await reportKey(importId), path);
      const { columns } = await spreadsheets.readHeader(path, "report.xlsx");
      const rows: string[][] = [[...columns]];
      for await (const batch of spreadsheets.readRows(path)) rows.push(...batch.rows.map((row) => row.cells.map((cell) => String(cell))));
      return rows;
    },
    async reportBytes(importId: string): Promise<Buffer> {
      const path = join(tempDir, `bytes-${importId}`);
      await objects.store.fetch(await reportKey(importId), path);
      return readFile(path);
    },
    /** The paths below the temporary folder that belong to workers. */
    leftovers: async () => (await namesBelow(tempDir)).filter((name) => name.startsWith("worker-")),
    async close() {
      await Promise.all([...running].map((stop) => stop()));
      await eventStore.close();
      await store.stop();
      await database.close();
      await objects.close();
      await rm(tempDir, { recursive: true, force: true });
    },
  };
}

async function eventsOf(eventStore: WorkerDeps["eventStore"], importId: string): Promise<ImportEvent[]> {
  const events: ImportEvent[] = [];
  for await (const stored of eventStore.read(streamOf.import(importId))) {
    const event = decode(stored);
    if (event) events.push(event as unknown as ImportEvent);
  }
  return events;
}

export async function until(condition: () => Promise<boolean> | boolean, deadlineMs = 90_000): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > deadlineMs) throw new Error(`not within ${deadlineMs} ms: ${condition}`);
    await untilNextLook(begun);
  }
}
