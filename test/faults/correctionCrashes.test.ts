// The same rejected row corrected twice while processes die at every step: it is recorded once.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { correctionStory } from "../../src/audit/history/correctionStory.js";
import { verify } from "../../src/audit/verify.js";
import { correctionLines } from "../../src/cli/audit/auditCorrectionsText.js";
import { requestImport } from "../../src/commands/imports/requestImport.js";
import { writeLines } from "../../src/commands/imports/writeLines.js";
import { startApi } from "../../src/http/startApi.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { checksHere } from "../support/checksHere.js";
import { addMember, formToken, signedIn, type Visitor } from "../support/portal/portal.js";
import { until } from "../support/processes.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { aroundEach, type CrashPoint, mortal } from "./machines/mortal.js";

let service: TestService;
let worker: Role | undefined;
let projector: Role | undefined;
/** Where the second of two members is. */
let other: string | undefined;

beforeAll(async () => {
  service = await startTestService({}, undefined, { fileChecks: checksHere() }); // a check is no part of what dies here
  worker = startWorker(service);
  projector = startProjector(service);
});
afterAll(async () => {
  await Promise.all([worker?.stop(), projector?.stop()]);
  await service?.close();
});

type Json = Record<string, unknown>;
const imports = "/v1/org/fulfilment/imports";
const bad = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z", customerId: "CUST-999" };
const rows = [
  { row: 1, values: { customerId: "" } },
  { row: 2, values: { customerId: "" } },
];

const statusOf = async (organisation: TestOrganisation, importId: unknown) =>
  ((await (await organisation.get(`${imports}/${importId}`)).json()) as Json)["status"];
const endOf = (organisation: TestOrganisation, importId: unknown, status = "completed") =>
  until(`the import is ${status}`, async () => (await statusOf(organisation, importId)) === status);

async function rejectedRows(organisation: TestOrganisation): Promise<string> {
  const answer = await organisation.post("/v1/org/fulfilment/activities", { activities: [bad, bad] });
  const { importId } = (await answer.json()) as { importId: string };
  await endOf(organisation, importId);
  return importId;
}

async function correct(
  organisation: TestOrganisation,
  importId: string,
  { url = service.url, key = "" } = {},
): Promise<string | undefined> {
  const headers: Record<string, string> = key === "" ? {} : { "idempotency-key": key };
  const answer = await organisation.post(`${url}${imports}/${importId}/corrections`, { rows }, headers).catch(() => undefined);
  return answer?.status === 202 ? ((await answer.json()) as { importId: string }).importId : undefined;
}

const activities = async (organisation: TestOrganisation) =>
  ((await (await organisation.get("/v1/org/ledger/activities")).json()) as { items: Json[] }).items.length;

interface People {
  readonly first: Visitor;
  readonly second: Visitor;
}

async function people(organisation: TestOrganisation): Promise<People> {
  const add = async () => signedIn(service, await addMember(service, organisation.id, "operator"));
  return { first: await add(), second: await add() };
}

/** As the grid sends it; `key` is made by the page. */
async function correctInPortal(
  who: Visitor,
  importId: string,
  { url = service.url, key = randomUUID() } = {},
): Promise<string | undefined> {
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, origin: new URL(url).origin, "x-form-token": await formToken(who), "content-type": "application/json" };
  const body = JSON.stringify({ importId, key, rows });
  const answer = await fetch(`${url}/portal/corrections/submit`, { method: "POST", headers, body }).catch(() => undefined);
  return answer?.status === 202 ? ((await answer.json()) as { importId: string }).importId : undefined;
}

/** As a corrected error report, saved as CSV. */
async function uploadReport(who: Visitor, importId: string): Promise<void> {
  const line = (row: number) => `${row},Customer not found,SYD1,PICK,1,2026-03-01T09:30:00Z,,,`;
  const header = "Row number,Rejection reason,warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference,status";
  const file = new File([[header, ...rows.map(({ row }) => line(row)), ""].join("\n")], `rejected-rows-${importId}.csv`);
  const headers = { accept: "application/json", "x-form-token": await formToken(who) };
  const answer = await who.upload("/portal/upload/send", { kind: "activities", page: randomUUID() }, file, headers);
  await answer.text();
}

/** Two members, the API and a report at the same time; answers the imports that were taken. */
async function correctEveryWay(organisation: TestOrganisation, importId: string): Promise<string[]> {
  const { first, second } = await people(organisation);
  other ??= await service.startAnotherApi();
  await Promise.all([
    correctInPortal(first, importId),
    correctInPortal(second, importId, { url: other }),
    correct(organisation, importId),
    uploadReport(second, importId),
  ]);
  const queued = await service.pool.query<{ importId: string }>(
    `select import_id as "importId" from import_queue where organisation_id = $1`,
    [organisation.id],
  );
  return queued.rows.map((row) => row.importId);
}

async function letTimePass(): Promise<void> {
  await service.pool.query("update organisation_turns set expires_at = now() where expires_at is not null");
  await service.pool.query("update import_queue set reserved_at = reserved_at - interval '2 minutes', not_before = null");
}

async function stopWorker(): Promise<void> {
  await worker?.stop();
  worker = undefined;
}

async function dieAt(point: CrashPoint): Promise<void> {
  const victim = mortal(service, point);
  const dying = startWorker(victim.service);
  await until("the worker has died", async () => victim.died());
  await dying.stop();
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
    // All but one may have been answered 409 already; then there is only one claim to die at.
    const ids = await correctEveryWay(organisation, importId);
    expect(ids.length).toBeGreaterThan(0);
    await dieAt(ids.length < 2 ? { ...point, nth: 1 } : point);
    await letTimePass();
    worker = startWorker(service);
    for (const id of ids) await endOf(organisation, id);
    expect(await activities(organisation)).toBe(2);
  });
});

const apiPoints = aroundEach([
  ["the file is stored", { call: "put", on: /^uploads\// }],
  ["its place is reserved", { call: "sql", on: /reserve_import_place/ }],
  ["ImportRequested", { call: "append", on: /ImportRequested/ }],
  ["its place is confirmed", { call: "sql", on: /with confirmed/ }],
]);

describe.each(apiPoints)("an API dies %s of a correction", (_, point) => {
  test("sent again with its Idempotency-Key, and by another client without it, the rows are recorded once", async () => {
    const organisation = await service.organisation();
    const importId = await rejectedRows(organisation);
    const victim = mortal(service, point);
    const api = await startApi({ deps: victim.service.deps, host: "127.0.0.1", port: 0, logger: service.deps.logger });
    const key = randomUUID();
    await correct(organisation, importId, { url: `http://127.0.0.1:${api.port}`, key });
    expect(victim.died()).toBe(true);
    await api.stop();
    const again = await Promise.all([correct(organisation, importId, { key }), correct(organisation, importId)]);
    await letTimePass();
    for (const id of again) if (id !== undefined) await endOf(organisation, id);
    await until("the rows are there", async () => (await activities(organisation)) > 0);
    expect(await activities(organisation)).toBe(2);
  });
});

describe.each(apiPoints.filter(([what]) => what.includes("ImportRequested")))(
  "an API dies %s of a correction in the portal",
  (_, point) => {
    test("sent again by the page, and by another member, the rows are recorded once", async () => {
      const organisation = await service.organisation();
      const importId = await rejectedRows(organisation);
      const { first, second } = await people(organisation);
      const victim = mortal(service, point);
      const deps = { ...victim.service.deps, portal: { ...service.portal, ...victim.service.deps } };
      const api = await startApi({ deps, host: "127.0.0.1", port: 0, logger: service.deps.logger });
      const key = randomUUID();
      await correctInPortal(first, importId, { url: `http://127.0.0.1:${api.port}`, key });
      expect(victim.died()).toBe(true);
      await api.stop();
      const again = await Promise.all([correctInPortal(first, importId, { key }), correctInPortal(second, importId)]);
      await letTimePass();
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
    // A file with fewer rows than it is to correct: the importer finds out when it has claimed them.
    const path = join(folder, "file");
    const lines = ["#,warehouseCode,chargeCode,quantity,activityTimestamp\r\n", "1,SYD1,PICK,1,2026-03-01T09:30:00Z\r\n"];
    const file = { path, name: "activities.csv", format: "csv", ...(await writeLines(path, lines)) } as const;
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
    const claims = await correctionStory(importId, { eventStore: service.eventStore, signal: new AbortController().signal });
    expect(claims.map(({ type }) => type)).toEqual(["RowsClaimed"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const states = async () =>
    ((await (await organisation.get(`${imports}/${importId}/errors`)).json()) as { items: Json[] }).items.map(({ state }) => state);
  await until("the rows are open again", async () => (await states()).every((state) => state === "open"));
  await endOf(organisation, await correct(organisation, importId));
  expect(await activities(organisation)).toBe(2);
});

test("a correction that is cancelled after its claim leaves its rows open, and another one takes them", async () => {
  const organisation = await service.organisation();
  const importId = await rejectedRows(organisation);
  await stopWorker();
  const first = await correct(organisation, importId);
  await dieAt({ call: "append", on: /RowsClaimed/, when: "after" });
  expect((await organisation.post(`${imports}/${importId}/corrections`, { rows })).status).toBe(409);
  await organisation.post(`${imports}/${first}/cancel`, {});
  await letTimePass();
  worker = startWorker(service);
  const second = await correct(organisation, importId);
  await endOf(organisation, second);
  expect(await activities(organisation)).toBe(2);
  const { eventStore } = service;
  const story = await correctionStory(importId, { eventStore, signal: new AbortController().signal });
  const told = correctionLines(story, () => "somebody").join("\n");
  expect(told).toContain(`rows 1, 2 taken by import ${first}`);
  expect(told).toContain(`rows 1, 2 taken by import ${second}`);
});

test("after all of that the audit is clean, finds what is changed, and a rebuild comes to the same rows", async () => {
  const { pool, eventStore, objectStore, deps } = service;
  const signal = new AbortController().signal;
  const run = () =>
    verify({ ...{ pool, eventStore, objectStore, tempDir: deps.tempDir, signal }, organisationId: undefined, files: false });
  const verification = await run();
  expect(verification.findings.first).toEqual([]);
  expect(verification.rows.corrections).toBeGreaterThan(20);
  const logger = pino({ level: "silent" });
  const options = { pool, eventStore, logger, signal, migrations: migrationStatements(), projections: allProjections };
  const { comparisons } = await rebuild(options);
  for (const { live, rebuilt } of comparisons) expect(rebuilt).toEqual(live);
  await pool.query(`update row_corrections set state = 'submitted' where ctid = (select min(ctid) from row_corrections)`);
  await pool.query("delete from settled_rows where ctid = (select min(ctid) from settled_rows)");
  expect((await run()).findings.count).toBeGreaterThan(0);
});
