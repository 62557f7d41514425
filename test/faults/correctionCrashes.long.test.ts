// The same rejected rows are corrected several times while processes die at every step: each row is recorded once.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { readFollowUps } from "../../src/audit/history/importHistory.js";
import { correctionLines } from "../../src/cli/audit/auditImportText.js";
import { verify } from "../../src/cli/audit/verify.js";
import { requestImport } from "../../src/commands/imports/requestImport.js";
import { writeHashedFile } from "../../src/judging/hashedFile.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { until } from "../support/processes.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestService } from "../support/service.js";
import { startApi } from "../support/startApi.js";
import { activities, type CorrectionStage, correctionsAt, endOf, imports, type Json, rejectedRows, rows } from "./correctionStage.js";
import { aroundEach, mortal } from "./machines/mortal.js";
import { dieAt, letTimePass } from "./machines/workerCrash.js";

let service: TestService;
let worker: Role | undefined;
let projector: Role | undefined;
let stage: CorrectionStage;

beforeAll(async () => {
  // Files are checked in this process, since no process that checks files is killed here.
  service = await startTestService();
  stage = correctionsAt(service);
  worker = startWorker(service);
  projector = startProjector(service);
});
afterEach(() => {
  worker ??= startWorker(service); // a failed test may have left none
});
afterAll(async () => {
  await Promise.all([worker?.stop(), projector?.stop()]);
  await service?.close();
});

async function stopWorker(): Promise<void> {
  await worker?.stop();
  worker = undefined;
}

/** Ends what the dead process held. A new worker looks at once for work that dead processes left; one that runs would look seconds later. */
async function goOnLater(): Promise<void> {
  await stopWorker();
  await letTimePass(service);
  worker = startWorker(service);
}

const workerPoints = aroundEach([
  ["RowsClaimed", { call: "append", on: /RowsClaimed/ }],
  ["its rows", { call: "append", on: /^Row(Accepted|Rejected)/ }],
  ["ImportCompleted", { call: "append", on: /ImportCompleted/ }],
  ["the second RowsClaimed", { call: "append", on: /RowsClaimed/, nth: 2 }],
]);

describe.each(workerPoints)("a worker dies %s of a correction that two members, the API and a report have sent", (_, point) => {
  test("the rows are recorded once", async () => {
    const organisation = await service.organisation();
    const importId = await rejectedRows(organisation);
    await stopWorker();
    // All corrections but one may have been answered 409; then there is no second claim to die at.
    const ids = await stage.correctEveryWay(organisation, importId);
    expect(ids.length).toBeGreaterThan(0);
    await dieAt(service, ids.length < 2 ? { ...point, nth: 1 } : point);
    await goOnLater();
    for (const id of ids) await endOf(organisation, id);
    expect(await activities(organisation)).toBe(2);
  });
});

const apiPoints = aroundEach([
  ["the file is stored", { call: "put", on: /^uploads\// }],
  ["its place is reserved", { call: "sql", on: /with reserved as/ }],
  ["ImportRequested", { call: "append", on: /ImportRequested/ }],
  ["its place is confirmed", { call: "sql", on: /with shown as/ }],
]);

describe.each(apiPoints)("an API dies %s of a correction", (_, point) => {
  test("when the correction is sent again with its Idempotency-Key, and by another client without it, the rows are recorded once", async () => {
    const organisation = await service.organisation();
    const importId = await rejectedRows(organisation);
    const victim = mortal(service, point);
    const api = await startApi({ deps: victim.service.deps, host: "127.0.0.1", port: 0, logger: service.deps.logger });
    const key = randomUUID();
    try {
      await stage.correct(organisation, importId, { url: `http://127.0.0.1:${api.port}`, key });
      expect(victim.died()).toBe(true);
    } finally {
      await api.stop();
    }
    const again = await Promise.all([stage.correct(organisation, importId, { key }), stage.correct(organisation, importId)]);
    await goOnLater();
    for (const id of again) if (id !== undefined) await endOf(organisation, id);
    await until("the rows are there", async () => (await activities(organisation)) > 0);
    expect(await activities(organisation)).toBe(2);
  });
});

describe.each(apiPoints.filter(([what]) => what.includes("ImportRequested")))(
  "an API dies %s of a correction in the portal",
  (_, point) => {
    test("when the page sends the correction again, and another member sends it too, the rows are recorded once", async () => {
      const organisation = await service.organisation();
      const importId = await rejectedRows(organisation);
      const { first, second } = await stage.people(organisation);
      const victim = mortal(service, point);
      const deps = { ...victim.service.deps, portal: { ...service.portal, ...victim.service.deps } };
      const api = await startApi({ deps, host: "127.0.0.1", port: 0, logger: service.deps.logger });
      const key = randomUUID();
      try {
        await stage.correctInPortal(first, importId, { url: `http://127.0.0.1:${api.port}`, key });
        expect(victim.died()).toBe(true);
      } finally {
        await api.stop();
      }
      const again = await Promise.all([stage.correctInPortal(first, importId, { key }), stage.correctInPortal(second, importId)]);
      await goOnLater();
      for (const id of again) if (id !== undefined) await endOf(organisation, id);
      await until("the rows are there", async () => (await activities(organisation)) > 0);
      expect(await activities(organisation)).toBe(2);
    });
  },
);

test("a correction that fails after its claim leaves its rows open, and another one takes them", async () => {
  const organisation = await service.organisation();
  const importId = await rejectedRows(organisation);
  const folder = await mkdtemp(join(tmpdir(), "waybill-short-"));
  try {
    // A file with fewer rows than it says it corrects: the importer notices after it has claimed the rows.
    const path = join(folder, "file");
    const lines = ["#,warehouseCode,chargeCode,quantity,activityTimestamp\r\n", "1,SYD1,PICK,1,2026-03-01T09:30:00Z\r\n"];
    const file = { path, name: "activities.csv", format: "csv", ...(await writeHashedFile(path, lines)) } as const;
    const { importId: short } = await requestImport(
      { ...service.deps, maxQueuedImports: 20 },
      {
        ...{ organisationId: organisation.id, kind: "activities", source: "data", sourceDetails: "short", file },
        ...{
          corrects: { importId, rows: [1, 2] },
          by: { kind: "cli", id: "test" },
          requestId: "r",
          idempotencyKey: undefined,
          now: new Date(),
        },
      },
    );
    await endOf(organisation, short, "failed");
    const claims = await readFollowUps("corrections", importId, { eventStore: service.eventStore, signal: new AbortController().signal });
    expect(claims.map(({ type }) => type)).toEqual(["RowsClaimed"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const states = async () =>
    ((await (await organisation.get(`${imports}/${importId}/errors`)).json()) as { items: Json[] }).items.map(({ state }) => state);
  await until("the rows are open again", async () => (await states()).every((state) => state === "open"));
  await endOf(organisation, await stage.correct(organisation, importId));
  expect(await activities(organisation)).toBe(2);
});

test("a correction that is cancelled after its claim leaves its rows open, and another one takes them", async () => {
  const organisation = await service.organisation();
  const importId = await rejectedRows(organisation);
  await stopWorker();
  const first = await stage.correct(organisation, importId);
  await dieAt(service, { call: "append", on: /RowsClaimed/, when: "after" });
  expect((await organisation.post(`${imports}/${importId}/corrections`, { rows })).status).toBe(409);
  await organisation.post(`${imports}/${first}/cancel`, {});
  await goOnLater();
  const second = await stage.correct(organisation, importId);
  await endOf(organisation, second);
  expect(await activities(organisation)).toBe(2);
  const { eventStore } = service;
  const story = await readFollowUps("corrections", importId, { eventStore, signal: new AbortController().signal });
  const told = correctionLines(story, () => "somebody").join("\n");
  expect(told).toContain(`rows 1, 2 taken by import ${first}`);
  expect(told).toContain(`rows 1, 2 taken by import ${second}`);
});

test("after all these tests the audit is clean and a rebuild gives the same rows; a change in the tables is then found", async () => {
  const { pool, eventStore, objectStore, deps } = service;
  const signal = new AbortController().signal;
  const run = () =>
    verify({ ...{ pool, eventStore, objectStore, tempDir: deps.tempDir, signal }, organisationId: undefined, files: false });
  const verification = await run();
  expect(verification.findings.first).toEqual([]);
  expect(verification.rows["row_corrections"]).toBeGreaterThan(20);
  const logger = pino({ level: "silent" });
  const options = { pool, eventStore, logger, signal, migrations: migrationStatements(), projections: allProjections };
  const { comparisons } = await rebuild(options);
  for (const { live, rebuilt } of comparisons) expect(rebuilt).toEqual(live);
  await pool.query(`update row_corrections set state = 'submitted' where ctid = (select min(ctid) from row_corrections)`);
  await pool.query("delete from finished_rows where ctid = (select min(ctid) from finished_rows)");
  expect((await run()).findings.count).toBeGreaterThan(0);
});
