// A service with a worker and a projector, organisations with rejected rows, and requests that correct them.
import { pino } from "pino";
import { afterAll, beforeAll, expect } from "vitest";
import { migrationStatements } from "../../../../src/adapters/postgres/migrate.js";
import { verify } from "../../../../src/cli/audit/verify.js";
import { allProjections } from "../../../../src/projections/allProjections.js";
import { rebuild } from "../../../../src/projections/rebuild/rebuild.js";
import { countOpenRows } from "../../../../src/queries/rejectedRows/openRows.js";
import { groupRejections } from "../../../../src/queries/rejectedRows/rejectionGroups.js";
import { until } from "../../../support/processes.js";
import { projectLog } from "../../../support/projectLog.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";

export type Json = Record<string, unknown>;
export const base = { activities: "/v1/org/fulfilment/imports", shipments: "/v1/org/shipments/imports" };
type Kind = keyof typeof base;

export const good = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
export const bad = (reference: string) => ({ ...good, customerId: "CUST-999", reference });
export const fixed = (row: number) => ({ row, values: { customerId: "" } });

export async function json(answer: Response, status: number): Promise<Json> {
  const body = (await answer.json()) as Json;
  expect({ status: answer.status, body }).toMatchObject({ status });
  return body;
}

export async function ended(organisation: TestOrganisation, kind: Kind, importId: unknown, status = "completed"): Promise<Json> {
  let shown: Json = {};
  await until(`the import is ${status}`, async () => {
    shown = (await (await organisation.get(`${base[kind]}/${importId}`)).json()) as Json;
    return shown["status"] === status;
  });
  return shown;
}

/** Pushes activities that are all rejected. Returns the import's id. */
export async function rejectedActivities(organisation: TestOrganisation, count = 3): Promise<string> {
  const activities = Array.from({ length: count }, (_, index) => bad(`r${index + 1}`));
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities }), 202);
  await ended(organisation, "activities", importId);
  return String(importId);
}

export const line = {
  originPostCode: "2000",
  originSuburb: "Sydney",
  destinationPostCode: "3000",
  destinationSuburb: "Melbourne",
  itemType: "CARTON",
};
export const columns = ["shipmentId", ...Object.keys(line), "itemQuantity", "customerId"];

/** Uploads a file of goods lines, of which those with an unknown customer are rejected. Returns the import's id. */
export async function uploadedShipments(
  organisation: TestOrganisation,
  lines: readonly [id: string, customerId: string][],
): Promise<string> {
  const rows = lines.map(([id, customerId]) => [id, ...Object.values(line), "1", customerId].join(","));
  const file = new File([[columns.join(","), ...rows].join("\n")], "shipments.csv");
  const { importId } = await json(await organisation.upload("/v1/org/shipments/imports/file", file), 202);
  await ended(organisation, "shipments", importId);
  return String(importId);
}

export const correct = (
  organisation: TestOrganisation,
  kind: Kind,
  importId: string,
  rows: readonly unknown[],
  headers?: Record<string, string>,
) => organisation.post(`${base[kind]}/${importId}/corrections`, { rows }, headers);

export async function rowsOf(organisation: TestOrganisation, kind: Kind, importId: unknown, query = ""): Promise<Json[]> {
  return (await json(await organisation.get(`${base[kind]}/${importId}/errors${query}`), 200))["items"] as Json[];
}
export const states = async (organisation: TestOrganisation, kind: Kind, importId: unknown) =>
  Object.fromEntries((await rowsOf(organisation, kind, importId)).map(({ row, state }) => [row, state]));

export const activitiesOf = async (organisation: TestOrganisation) =>
  ((await json(await organisation.get("/v1/org/ledger/activities?limit=500"), 200))["items"] as Json[])
    .map(({ reference }) => reference)
    .sort();

/** Starts the stage for all tests of a file. */
export function useCorrections() {
  let service: TestService;
  let worker: Role | undefined;
  let projector: Role | undefined;

  beforeAll(async () => {
    service = await startTestService({ maxQueuedImports: 50 });
    worker = startWorker(service);
    projector = startProjector(service);
  });
  afterAll(async () => {
    await Promise.all([worker?.stop(), projector?.stop()]);
    await service?.close();
  });

  const made: TestOrganisation[] = [];
  async function newOrganisation(): Promise<TestOrganisation> {
    const organisation = await service.organisation();
    made.push(organisation);
    return organisation;
  }

  async function withoutWorker(work: () => Promise<void>): Promise<void> {
    await worker?.stop();
    try {
      await work();
    } finally {
      worker = startWorker(service);
    }
  }

  /** Compares every organisation's counts and groups of open rows with the lists of its imports. Returns the row states that were seen. */
  async function compareOverviews(): Promise<unknown[]> {
    const seen = new Set<unknown>();
    for (const organisation of made) {
      for (const kind of ["activities", "shipments"] as const) {
        let open = 0;
        const { items } = await json(await organisation.get(`${base[kind]}?limit=100`), 200);
        for (const { importId } of items as Json[]) {
          const found = Object.values(await states(organisation, kind, importId));
          for (const state of found) seen.add(state);
          open += found.filter((state) => state === "open").length;
        }
        expect((await countOpenRows(organisation.id, undefined, service.pool))[kind]).toEqual({ rows: open, atLeast: false });
        const { groups } = await groupRejections(organisation.id, { kind, state: "open" }, 1_000, service.pool);
        expect(groups.every(({ rows }) => rows > 0)).toBe(true);
        expect(groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(open);
      }
    }
    return [...seen];
  }

  /** The tables hold what the streams say, and a rebuild comes to the same. */
  async function expectTruth(): Promise<void> {
    const { pool, eventStore, objectStore, deps } = service;
    const { signal } = new AbortController();
    await projectLog({ pool, eventStore });
    const stores = { pool, eventStore, objectStore, tempDir: deps.tempDir, signal };
    expect((await verify({ ...stores, organisationId: undefined, files: false })).findings.first).toEqual([]);
    const logger = pino({ level: "silent" });
    const { comparisons } = await rebuild({
      ...{ pool, eventStore, logger, signal },
      migrations: migrationStatements(),
      projections: allProjections,
    });
    for (const { live, rebuilt } of comparisons) expect(rebuilt).toEqual(live);
  }

  return {
    get service() {
      return service;
    },
    ...{ newOrganisation, withoutWorker, compareOverviews, expectTruth },
  };
}
