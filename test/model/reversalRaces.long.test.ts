// Reversals at the same moment as each other, and as corrections, pushes and cancellations of the same rows. Every outcome must be one that
// some order of the calls would have given.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { verify } from "../../src/cli/audit/verify.js";
import type { ReversalSelection } from "../../src/commands/reversals/reversalUnits.js";
import { reverseRows } from "../../src/commands/reversals/reverseRows.js";
import { StoreUnavailable } from "../../src/portErrors.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { until } from "../support/processes.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { base, projected } from "./reversalSteps.js";

type Json = Record<string, unknown>;
type Kind = keyof typeof base;

const rounds = process.env["WAYBILL_LONG"] !== undefined ? 200 : 40;

let service: TestService;
let other: string;
let worker: Role | undefined;
let projector: Role | undefined;

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 100 });
  other = await service.startAnotherApi();
  worker = startWorker(service);
  projector = startProjector(service);
});
afterAll(async () => {
  await Promise.all([worker?.stop(), projector?.stop()]);
  await service?.close();
});

const good = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
const bad = { ...good, customerId: "CUST-999" };
const fixed = [{ row: 2, values: { customerId: "" } }];

const answerOf = async (sent: Promise<Response>) => {
  const answer = await sent;
  return { status: answer.status, body: (await answer.json()) as Json };
};

async function completed(organisation: TestOrganisation, kind: Kind, importId: unknown): Promise<string> {
  await until("the import has completed", async () => {
    const { body } = await answerOf(organisation.get(`${base[kind]}/${importId}`));
    return body["status"] === "completed";
  });
  await projected(service);
  return String(importId);
}

async function pushed(organisation: TestOrganisation, kind: Kind, list: readonly Json[]): Promise<string> {
  const path = kind === "activities" ? "/v1/org/fulfilment/activities" : base.shipments;
  const { body } = await answerOf(organisation.post(path, { [kind]: list }));
  return completed(organisation, kind, body["importId"]);
}

const shipment = (shipmentId: string) => ({
  ...{ shipmentId, originPostCode: "2000", destinationPostCode: "3000" },
  items: [{ itemType: "Carton", itemQuantity: 1 }],
});

const reverse = (organisation: TestOrganisation, kind: Kind, importId: string, what: Json, url = service.url) =>
  answerOf(organisation.post(`${url}${base[kind]}/${importId}/reversals`, { reason: "sent twice", ...what }));
const correct = (organisation: TestOrganisation, importId: string, rows: readonly Json[], reason?: string) =>
  answerOf(organisation.post(`${other}${base.activities}/${importId}/corrections`, { rows, ...(reason && { reason }) }));

const stateOf = async (organisation: TestOrganisation, importId: string) =>
  ((await answerOf(organisation.get(`${base.activities}/${importId}/errors`))).body["items"] as Json[])[0]?.["state"];
/** `importId row` of each activity that counts. */
async function counting(organisation: TestOrganisation): Promise<string[]> {
  const { body } = await answerOf(organisation.get("/v1/org/ledger/activities?limit=500"));
  const { body: totals } = await answerOf(organisation.get("/v1/org/ledger/activities/totals"));
  const items = body["items"] as Json[];
  expect((totals["total"] as Json)["rows"]).toBe(items.length);
  return items.map(({ importId, row }) => `${importId} ${row}`);
}

/** Runs many rounds, each in an organisation of its own, a few at a time. */
async function manyTimes(round: (organisation: TestOrganisation, number: number) => Promise<void>): Promise<void> {
  const left = Array.from({ length: rounds }, (_, number) => number);
  const failures: unknown[] = [];
  const work = async () => {
    for (let number = left.shift(); number !== undefined; number = left.shift())
      await round(await service.organisation(), number).catch((error) => failures.push(error));
  };
  await Promise.all([work(), work(), work()]);
  if (failures.length > 0) throw failures[0];
}

/** Lets a call begin a little later, by as many requests to the database as the round's number says. */
async function later<Result>(number: number, call: () => Promise<Result>): Promise<Result> {
  for (let turn = 0; turn < (number % 5) * 3; turn += 1) await service.pool.query("select 1");
  return call();
}

/** Under load a call may be answered 503: it has recorded nothing, or its repetition finds what it recorded. */
async function untilServed<Answer extends { readonly status: number }>(call: () => Promise<Answer>): Promise<Answer> {
  for (const deadline = performance.now() + 120_000; ; ) {
    const answer = await call().catch((error: unknown) => {
      if (error instanceof StoreUnavailable && performance.now() < deadline) return undefined;
      throw error;
    });
    if (answer && (answer.status !== 503 || performance.now() > deadline)) return answer;
  }
}

const count = 24;
const someOf = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe.each(["activities", "shipments"] as const)("twenty callers reverse overlapping %s at once", (kind) => {
  test("over two API processes, in the portal and on the command line, and each is reversed once", async () => {
    const organisation = await service.organisation();
    const list = kind === "activities" ? someOf(1, count).map(() => good) : someOf(1, count).map((number) => shipment(`S${number}`));
    const importId = await pushed(organisation, kind, list);
    const parts: ReversalSelection[] = [
      [1, 10],
      [5, 16],
      [16, 24],
      [3, 3],
    ].map(([first = 0, last = 0]) =>
      kind === "activities" ? { rows: someOf(first, last) } : { shipmentIds: someOf(first, last).map((number) => `S${number}`) },
    );
    parts.push({ all: true });
    const request = { importId, reason: "twice", includeCorrections: false, preview: false, now: () => new Date() };
    const callers = [
      (what: ReversalSelection) => reverse(organisation, kind, importId, { ...what }),
      (what: ReversalSelection) => reverse(organisation, kind, importId, { ...what }, other),
      async (selection: ReversalSelection) => {
        const by = { kind: "member", id: "m-1" } as const;
        return {
          status: 200,
          body: { ...(await reverseRows(service.deps, { ...request, organisationId: organisation.id, selection, by })) } as Json,
        };
      },
      async (selection: ReversalSelection) => {
        const by = { kind: "cli", id: "test" } as const;
        return {
          status: 200,
          body: { ...(await reverseRows(service.deps, { ...request, organisationId: undefined, selection, by })) } as Json,
        };
      },
    ];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const call = callers[index % 4] as (typeof callers)[0];
        return untilServed(() => call(parts[Math.floor(index / 4)] as ReversalSelection));
      }),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, answer) => sum + Number(answer?.body["reversed"]), 0)).toBe(count);
    await projected(service);
    const { body: shown } = await answerOf(organisation.get(`${base[kind]}/${importId}`));
    expect(shown["reversed"]).toMatchObject({ rows: count, all: true });
    const { body: ledger } = await answerOf(organisation.get(`/v1/org/ledger/${kind}`));
    expect(ledger["items"]).toEqual([]);
    expect(await counting(organisation)).toEqual([]);
  });
});

describe("a reversal of a whole import races a correction of its rejected row", () => {
  test("the row is corrected, or withdrawn and recorded nowhere", async () => {
    await manyTimes(async (organisation, number) => {
      const importId = await pushed(organisation, "activities", [good, bad]);
      const [reversal, correction] = await Promise.all([
        later(number, () => reverse(organisation, "activities", importId, { all: true })),
        later(4 - (number % 5), () => correct(organisation, importId, fixed)),
      ]);
      const corrected = correction.status === 202 ? await completed(organisation, "activities", correction.body["importId"]) : undefined;
      await projected(service);
      const outcome = {
        ...{ reversal: reversal.status, correction: correction.status, state: await stateOf(organisation, importId) },
        counting: await counting(organisation),
      };
      const own = `${importId} 1`;
      const byCorrection = `${corrected} 1`;
      expect([
        // The correction is in the queue when the reversal looks.
        { reversal: 409, correction: 202, state: "corrected", counting: [own, byCorrection] },
        // The correction claims the row first.
        { reversal: 200, correction: 202, state: "corrected", counting: [byCorrection] },
        // The reversal comes before the claim.
        { reversal: 200, correction: 202, state: "withdrawn", counting: [] },
        // The reversal comes before the correction is sent.
        { reversal: 200, correction: 409, state: "withdrawn", counting: [] },
      ]).toContainEqual(outcome);
      if (outcome.reversal === 200 && outcome.state === "corrected")
        expect(reversal.body["corrections"]).toEqual([{ importId: corrected, rows: [2] }]);
      if (corrected === undefined || outcome.state !== "withdrawn") return;
      const { body } = await answerOf(organisation.get(`${base.activities}/${corrected}/errors`));
      expect(body["items"]).toMatchObject([{ error: "The import whose row it corrects is reversed", state: "withdrawn" }]);
    });
  });
});

describe("a reversal of an accepted activity races a correction of it", () => {
  test("the correction counts, or nothing does", async () => {
    await manyTimes(async (organisation, number) => {
      const importId = await pushed(organisation, "activities", [good, good]);
      const [reversal, correction] = await Promise.all([
        later(number, () => reverse(organisation, "activities", importId, { rows: [2] })),
        later(4 - (number % 5), () => correct(organisation, importId, [{ row: 2, values: { quantity: "3" } }], "three")),
      ]);
      const corrected = correction.status === 202 ? await completed(organisation, "activities", correction.body["importId"]) : undefined;
      await projected(service);
      const outcome = { reversal: reversal.status, correction: correction.status, counting: await counting(organisation) };
      const own = `${importId} 1`;
      expect([
        { reversal: 409, correction: 202, counting: [own, `${corrected} 1`] },
        // The claim comes before the reversal.
        { reversal: 200, correction: 202, counting: [own, `${corrected} 1`] },
        // The reversal comes before the claim.
        { reversal: 200, correction: 202, counting: [own] },
        { reversal: 200, correction: 409, counting: [own] },
      ]).toContainEqual(outcome);
    });
  });
});

describe("a reversal of a correction races another correction of the same row", () => {
  test("the row is open, or corrected by the other one", async () => {
    await manyTimes(async (organisation, number) => {
      const importId = await pushed(organisation, "activities", [good, bad]);
      const first = await completed(organisation, "activities", (await correct(organisation, importId, fixed)).body["importId"]);
      const [reversal, correction] = await Promise.all([
        later(number, () => reverse(organisation, "activities", first, { all: true })),
        later(4 - (number % 5), () => correct(organisation, importId, fixed)),
      ]);
      const second = correction.status === 202 ? await completed(organisation, "activities", correction.body["importId"]) : undefined;
      await projected(service);
      const outcome = {
        ...{ reversal: reversal.status, correction: correction.status, state: await stateOf(organisation, importId) },
        counting: await counting(organisation),
      };
      expect([
        { reversal: 200, correction: 409, state: "open", counting: [`${importId} 1`] },
        { reversal: 200, correction: 202, state: "corrected", counting: [`${importId} 1`, `${second} 1`] },
      ]).toContainEqual(outcome);
      expect(reversal.body).toMatchObject({ reversed: 1, reopened: 1 });
    });
  });
});

describe("a reversal of a shipment races a later push of it", () => {
  test("the later push shows, and when that is reversed too, the version before both", async () => {
    await manyTimes(async (organisation, number) => {
      const one = await pushed(organisation, "shipments", [shipment("A")]);
      const two = await pushed(organisation, "shipments", [shipment("A"), shipment("B")]);
      const [reversal, three] = await Promise.all([
        later(number, () => reverse(organisation, "shipments", two, number % 2 === 0 ? { shipmentIds: ["A"] } : { all: true })),
        later(4 - (number % 5), () => pushed(organisation, "shipments", [shipment("A")])),
      ]);
      expect(reversal.status).toBe(200);
      expect([0, 1]).toContain(reversal.body["superseded"]);
      await projected(service);
      const shown = async () => (await answerOf(organisation.get("/v1/org/ledger/shipments/A"))).body["importId"];
      expect(await shown()).toBe(three);
      expect((await reverse(organisation, "shipments", three, { all: true })).status).toBe(200);
      await projected(service);
      expect(await shown()).toBe(one);
    });
  });
});

describe("a reversal of a whole import races the cancellation of a correction of its row", () => {
  test("the row is open and the import as it was, or the row is withdrawn, or it was corrected before", async () => {
    await manyTimes(async (organisation, number) => {
      const importId = await pushed(organisation, "activities", [good, bad]);
      const correction = await correct(organisation, importId, fixed);
      expect(correction.status).toBe(202);
      const path = `${base.activities}/${correction.body["importId"]}`;
      const [reversal, cancellation] = await Promise.all([
        later(number, () => reverse(organisation, "activities", importId, { all: true })),
        later(4 - (number % 5), () => answerOf(organisation.post(`${path}/cancel`, {}))),
      ]);
      await until("the correction has ended", async () =>
        ["completed", "cancelled"].includes(String((await answerOf(organisation.get(path))).body["status"])),
      );
      await projected(service);
      const outcome = {
        ...{ reversal: reversal.status, cancellation: cancellation.status, state: await stateOf(organisation, importId) },
        counting: await counting(organisation),
      };
      const own = `${importId} 1`;
      const byCorrection = `${correction.body["importId"]} 1`;
      expect([
        // The correction is cancelled, after the reversal has looked for it or before.
        { reversal: 409, cancellation: 200, state: "open", counting: [own] },
        { reversal: 200, cancellation: 200, state: "withdrawn", counting: [] },
        // The correction has completed before it could be cancelled.
        { reversal: 409, cancellation: 409, state: "corrected", counting: [own, byCorrection] },
        { reversal: 200, cancellation: 409, state: "corrected", counting: [byCorrection] },
      ]).toContainEqual(outcome);
    });
  });
});

test("after all these races the audit is clean, and a rebuild gives the same tables", async () => {
  const { pool, eventStore, objectStore, deps } = service;
  const signal = new AbortController().signal;
  await projected(service);
  const options = { pool, eventStore, objectStore, tempDir: deps.tempDir, signal };
  const { findings } = await verify({ ...options, organisationId: undefined, files: false });
  expect(findings.first).toEqual([]);
  const migrations = migrationStatements();
  const { comparisons } = await rebuild({
    pool,
    eventStore,
    logger: pino({ level: "silent" }),
    signal,
    migrations,
    projections: allProjections,
  });
  const changed = comparisons.filter(({ live, rebuilt }) => live?.digest !== rebuilt.digest || live.rows !== rebuilt.rows);
  expect(changed.map(({ projection }) => projection)).toEqual([]);
});
