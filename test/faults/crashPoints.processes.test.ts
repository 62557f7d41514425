import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { verify } from "../../src/cli/audit/verify.js";
import { logIdOf } from "../../src/commands/logIdentity.js";
import { until } from "../support/processes.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { startApi } from "../support/startApi.js";
import { type Customer, newPush, push } from "./callers/customer.js";
import type { Submission } from "./callers/submissions.js";
import { aroundEach, type CrashPoint, mortal } from "./machines/mortal.js";
import { dieAt, letTimePass } from "./machines/workerCrash.js";
import { reckon, untilEnded } from "./reckoning.js";

let service: TestService;
let worker: Role | undefined;
let projector: Role | undefined;

beforeAll(async () => {
  service = await startTestService();
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

const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
/** Activities of which every 60th is rejected, so that there are rows to record and a report to make. */
const submissionOf = (rows: number): Submission => ({
  kind: "activities",
  lane: "file",
  shipments: [],
  activities: Array.from({ length: rows }, (_, index) => ({
    ...activity,
    ...(index % 60 === 0 ? { customerId: "CUST-999" } : {}),
    reference: `r${index}`,
  })),
});
const submission = submissionOf(200);
const twoChunks = submissionOf(2_200);

const asCustomer = ({ id, key }: TestOrganisation): Customer => ({ organisationId: id, key, sent: [] });

async function endsWell(customer: Customer): Promise<void> {
  const shown = await untilEnded(service.url, customer);
  expect(shown.map(({ status }) => status)).toEqual(customer.sent.map(() => "completed"));
  await reckon(service.url, customer, shown, service.eventStore);
}

async function anotherWorker(): Promise<void> {
  await worker?.stop();
  worker = startWorker(service); // a new worker first looks for work that killed processes left
}

const ofSmallImport = aroundEach([
  ["the whole import", { call: "append", on: /^ImportStarted to ImportCompleted/ }],
  ["the report's upload", { call: "put", on: /^reports\// }],
  ["the turn's end", { call: "sql", on: /delete from import_queue/ }],
]).map(([name, point]) => [name, point, submission] as const);
const ofLargeImport = aroundEach([
  ["ImportStarted", { call: "append", on: /^ImportStarted$/ }],
  ["the first rows", { call: "append", on: /^Row/ }],
  ["the last rows and ImportCompleted", { call: "append", on: /^Row\w+ to ImportCompleted/ }],
]).map(([name, point]) => [name, point, twoChunks] as const);

describe.each([...ofSmallImport, ...ofLargeImport])("a worker dies %s", (_, point, submitted) => {
  test("another worker goes on, and every row is recorded once", async () => {
    const customer = asCustomer(await service.organisation());
    await worker?.stop();
    worker = undefined;
    const sent = newPush(submitted, randomUUID());
    customer.sent.push(sent);
    expect((await push(service.url, customer.key, sent))?.status).toBe(202);
    const victim = mortal(service, point);
    const dying = startWorker(victim.service);
    onTestFinished(dying.stop);
    await until("the worker has died", async () => victim.died());
    await letTimePass(service);
    await anotherWorker();
    await endsWell(customer);
  });
});

/** Points after each step; the point before the next step is the same. */
const lateReportPoints: [string, CrashPoint][] = [
  ["after it has claimed the report", { call: "sql", on: /insert into late_reports/, when: "after" }],
  ["after the report's upload", { call: "put", on: /^reports\//, when: "after" }],
  ["after the report is noted", { call: "sql", on: /update late_reports set/, when: "after" }],
];

describe.each(lateReportPoints)("a worker dies %s of an import that was cancelled while no worker ran", (_, point) => {
  test("there is no link until a report is noted, and another worker makes the report", async () => {
    const organisation = await service.organisation();
    const customer = asCustomer(organisation);
    await worker?.stop();
    worker = undefined;
    const sent = newPush(twoChunks, randomUUID());
    await push(service.url, customer.key, sent);
    await dieAt(service, { call: "append", on: /^Row/, when: "after" });
    const path = `/v1/org/fulfilment/imports/${sent.importId}`;
    const shown = async () => (await (await organisation.get(path)).json()) as Record<string, unknown>;
    expect((await organisation.post(`${path}/cancel`, {})).status).toBe(200);
    await until("the table has it", async () => {
      const found = await service.pool.query("select 1 from imports where import_id = $1 and status = 'cancelled'", [sent.importId]);
      return found.rowCount === 1;
    });
    await dieAt(service, point);
    const link = (await shown())["errorReportUrl"];
    expect(link === null).toBe(point.call === "put" || /insert/.test(point.on.source));
    await letTimePass(service);
    await anotherWorker();
    await until("there is a link", async () => (await shown())["errorReportUrl"] !== null);
    expect(await service.objectStore.exists(`reports/${await logIdOf(service.eventStore)}/${sent.importId}.xlsx`)).toBe(true);
    expect(await shown()).toMatchObject({ status: "cancelled", counts: { received: 2_000, processed: 0, failed: 34 } });
  });
});

const apiPoints = aroundEach([
  ["the file is stored", { call: "put", on: /^uploads\// }],
  ["its place is reserved", { call: "sql", on: /with reserved as/ }],
  ["ImportRequested", { call: "append", on: /ImportRequested/ }],
  ["its place is confirmed", { call: "sql", on: /with shown as/ }],
]);

describe.each(apiPoints)("an API dies %s", (_, point) => {
  test("the push sent again with its Idempotency-Key is one import; sent once without a key it is one or none", async () => {
    const [keyed, plain] = [asCustomer(await service.organisation()), asCustomer(await service.organisation())];
    for (const customer of [keyed, plain]) {
      const victim = mortal(service, point);
      const api = await startApi({ deps: victim.service.deps, host: "127.0.0.1", port: 0, logger: service.deps.logger });
      const sent = newPush(submission, customer === keyed ? randomUUID() : undefined);
      customer.sent.push(sent);
      try {
        await push(`http://127.0.0.1:${api.port}`, customer.key, sent);
        expect(victim.died()).toBe(true);
      } finally {
        await api.stop();
      }
      if (customer === keyed) expect((await push(service.url, customer.key, sent))?.status).toBe(202);
    }
    await letTimePass(service);
    await anotherWorker();
    await endsWell(keyed);
    const shown = await untilEnded(service.url, plain);
    expect(shown.length).toBeLessThanOrEqual(1);
    await reckon(service.url, plain, shown, service.eventStore);
  });
});

const projectorPoints: [string, CrashPoint][] = [1, 2].flatMap((nth) => [
  [`before its commit ${nth}`, { call: "sql", on: /^commit$/, when: "before", nth }],
  [`after its commit ${nth}`, { call: "sql", on: /^commit$/, when: "after", nth }],
]);

describe.each(projectorPoints)("a projector dies %s", (_, point) => {
  test("another projector goes on from the checkpoint, and the tables hold nothing twice", async () => {
    const customer = asCustomer(await service.organisation());
    await projector?.stop();
    const victim = mortal(service, point);
    const dying = startProjector(victim.service);
    try {
      // One push may make only one batch, and so one commit: push until the projector has died.
      for (let pushes = 0; pushes < 20 && !victim.died(); pushes += 1) {
        const sent = newPush(submission, randomUUID());
        customer.sent.push(sent);
        expect((await push(service.url, customer.key, sent))?.status).toBe(202);
        // An import waits for the tables before it ends, so that without a projector it does not.
        await until(
          "the import has ended, or the projector has died",
          async () => victim.died() || (await service.eventStore.last(`import-${sent.importId}`))?.type === "ImportCompleted",
        );
      }
      await until("the projector has died", async () => victim.died());
    } finally {
      await dying.stop();
      projector = startProjector(service);
    }
    await endsWell(customer);
  });
});

test("after all these crashes the audit is clean", async () => {
  const { pool, eventStore, objectStore, deps } = service;
  const signal = new AbortController().signal;
  const verification = await verify({
    pool,
    eventStore,
    objectStore,
    tempDir: deps.tempDir,
    signal,
    organisationId: undefined,
    files: true,
  });
  expect(verification.findings.count).toBe(0);
  expect(verification.imports).toBeGreaterThan(20);
});
