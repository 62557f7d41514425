// An API or a projector dies at every step of a reversal. Asked again, each row is reversed once, and the tables are those of a rebuild.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { verify } from "../../src/cli/audit/verify.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { projected } from "../model/reversalSteps.js";
import { until } from "../support/processes.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { startApi } from "../support/startApi.js";
import { endOf, imports, type Json } from "./correctionStage.js";
import { aroundEach, type CrashPoint, mortal } from "./machines/mortal.js";

let service: TestService;
let worker: Role;
let projector: Role;

beforeAll(async () => {
  service = await startTestService();
  worker = startWorker(service);
  projector = startProjector(service);
});
afterAll(async () => {
  await Promise.all([worker?.stop(), projector?.stop()]);
  await service?.close();
});

const good = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };

/** Three good rows, and a rejected one that another import has corrected. */
async function correctedImport(organisation: TestOrganisation): Promise<string> {
  const activities = [good, good, good, { ...good, customerId: "CUST-999" }];
  const sent = (await (await organisation.post("/v1/org/fulfilment/activities", { activities })).json()) as { importId: string };
  await endOf(organisation, sent.importId);
  await projected(service);
  const rows = [{ row: 4, values: { customerId: "" } }];
  const { importId } = (await (await organisation.post(`${imports}/${sent.importId}/corrections`, { rows })).json()) as Json;
  await endOf(organisation, importId);
  await projected(service);
  return sent.importId;
}

const body = { all: true, includeCorrections: true, reason: "sent twice" };
const totals = async (organisation: TestOrganisation) =>
  ((await (await organisation.get("/v1/org/ledger/activities/totals")).json()) as { total: Json }).total["rows"];

const apiPoints = aroundEach([
  ["ReversalDecided", { call: "append", on: /ReversalDecided/ }],
  ["RowsReversed", { call: "append", on: /RowsReversed/ }],
  ["RowsReversed of the correction", { call: "append", on: /RowsReversed/, nth: 2 }],
]);

describe.each(apiPoints)("an API dies %s", (_, point) => {
  test("asked again at another one, the import and its correction are reversed once", async () => {
    const organisation = await service.organisation();
    const importId = await correctedImport(organisation);
    const victim = mortal(service, point);
    const api = await startApi({ deps: victim.service.deps, host: "127.0.0.1", port: 0, logger: service.deps.logger });
    try {
      const answer = await organisation.post(`http://127.0.0.1:${api.port}${imports}/${importId}/reversals`, body).catch(() => undefined);
      expect(answer?.ok ?? false).toBe(false);
      expect(victim.died()).toBe(true);
    } finally {
      await api.stop();
    }
    await projected(service);
    const isOfDecision = String(point.on).includes("ReversalDecided");
    const wasRecorded = point.nth === 2 || (point.when === "after" && !isOfDecision);
    expect(await totals(organisation)).toBe(wasRecorded ? (point.nth === 2 && point.when === "after" ? 0 : 1) : 4);
    const again = await organisation.post(`${imports}/${importId}/reversals`, body);
    expect(again.status).toBe(200);
    const wasDecided = !isOfDecision || point.when === "after"; // then the next call records it
    const figures = wasDecided ? { reversed: 0, alreadyReversed: 3 } : { reversed: 3, alreadyReversed: 0 };
    expect(await again.json()).toMatchObject(figures);
    await projected(service);
    expect(await totals(organisation)).toBe(0);
    const { items } = (await (await organisation.get(`${imports}/${importId}/reversals`)).json()) as { items: Json[] };
    expect(items).toMatchObject([{ count: 3, all: true }]);
  });
});

const projectorPoints: [string, CrashPoint][] = [
  ["before its commit", { call: "sql", on: /^commit$/, when: "before" }],
  ["after its commit", { call: "sql", on: /^commit$/, when: "after" }],
];

describe.each(projectorPoints)("a projector dies %s of a reversal", (_, point) => {
  test("another one goes on from the checkpoint, and the rows are taken out of the totals once", async () => {
    const organisation = await service.organisation();
    const importId = await correctedImport(organisation);
    await projector.stop();
    const victim = mortal(service, point);
    const answer = organisation.post(`${imports}/${importId}/reversals`, { rows: [1, 2], reason: "sent twice" });
    expect((await answer).status).toBe(200);
    const dying = startProjector(victim.service);
    try {
      await until("the projector has died", async () => victim.died());
    } finally {
      await dying.stop();
      projector = startProjector(service);
    }
    await projected(service);
    expect(await totals(organisation)).toBe(2);
  });
});

test("after all these crashes the audit is clean, and a rebuild gives the same tables", async () => {
  const { pool, eventStore, objectStore, deps } = service;
  const signal = new AbortController().signal;
  const sources = { pool, eventStore, objectStore, tempDir: deps.tempDir, signal };
  expect((await verify({ ...sources, organisationId: undefined, files: false })).findings.first).toEqual([]);
  const migrations = migrationStatements();
  const { comparisons } = await rebuild({
    pool,
    eventStore,
    logger: pino({ level: "silent" }),
    signal,
    migrations,
    projections: allProjections,
  });
  for (const { live, rebuilt } of comparisons) expect(rebuilt).toEqual(live);
});
