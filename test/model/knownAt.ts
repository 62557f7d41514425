// What is read as of a time stays as it was read, while rows are pushed, corrected and reversed by processes whose clocks are late and whose
// bodies and appends arrive slowly.
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { reverseRows } from "../../src/commands/reversals/reverseRows.js";
import { Rejection } from "../../src/domain/rejection.js";
import { StoreUnavailable } from "../../src/portErrors.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { type Randomness, seeded } from "../faults/randomness.js";
import { until } from "../support/processes.js";
import { startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { base, projected } from "./reversalSteps.js";

type Json = Record<string, unknown>;

const good = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 100, activityTimestamp: "2026-03-01T09:30:00Z" };
const bad = { ...good, customerId: "CUST-999" };

/** Appends wait before they are sent, as they do when the event store or the network is busy. */
function slowAppends(store: EventStore, random: Randomness): EventStore {
  return {
    ...store,
    append: async (...asked) => {
      await pause(random.number(80));
      return store.append(...asked);
    },
  };
}

interface Run {
  readonly service: TestService;
  readonly organisation: TestOrganisation;
  readonly random: Randomness;
  readonly importIds: string[];
}

/** The head is sent at once, so that the key is looked up, and the body later. */
async function postSlowly({ service, organisation, random }: Run, path: string, body: Json): Promise<number> {
  const text = JSON.stringify(body);
  const headers = { "x-api-key": organisation.key, "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const sent = request(`${service.url}${path}`, { method: "POST", headers });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  sent.flushHeaders();
  await pause(random.number(300));
  sent.end(text);
  return answered;
}

async function push(run: Run): Promise<void> {
  const activities = run.random.chance(0.5) ? [good, bad] : [good];
  const answer = await run.organisation.post("/v1/org/fulfilment/activities", { activities });
  expect(answer.status).toBe(202);
  run.importIds.push(((await answer.json()) as { importId: string }).importId);
}

async function correct(run: Run): Promise<void> {
  const importId = run.random.pick(run.importIds);
  const [row, values] = run.random.pick([
    [1, { quantity: "7" }],
    [2, { customerId: "" }],
  ] as const);
  const path = `${base.activities}/${importId}/corrections`;
  const answer = await run.organisation.post(path, { rows: [{ row, values }], ...(row === 1 && { reason: "seven" }) });
  const body = (await answer.json()) as { importId: string };
  if (answer.status === 202) run.importIds.push(body.importId);
  else expect([409, 422, 503]).toContain(answer.status);
}

/** By the API, or by a process whose clock is late. */
async function reverse(run: Run): Promise<void> {
  const { service, organisation, random, importIds } = run;
  const importId = random.pick(importIds);
  const options = { reason: "sent twice", includeCorrections: random.chance(0.3) };
  if (random.chance(0.6)) {
    const path = `${base.activities}/${importId}/reversals`;
    expect([200, 409, 503]).toContain(await postSlowly(run, path, { all: true, ...options }));
    return;
  }
  const lateMs = random.number(5_000);
  const clock = { by: { kind: "cli", id: "late" } as const, now: () => new Date(Date.now() - lateMs) };
  const deps = { pool: service.pool, eventStore: slowAppends(service.eventStore, random) };
  await reverseRows(deps, {
    organisationId: organisation.id,
    importId,
    selection: { all: true },
    preview: false,
    ...options,
    ...clock,
  }).catch((error: unknown) => {
    if (!(error instanceof Rejection || error instanceof StoreUnavailable)) throw error;
  });
}

interface Total {
  readonly quantity: string;
  readonly rows: number;
}

async function totalAt({ organisation }: Run, asOf?: string): Promise<Total> {
  const path = "/v1/org/ledger/activities/totals";
  let answer = await organisation.get(asOf === undefined ? path : `${path}?asOf=${asOf}`);
  await until("the ledgers are not behind", async () => {
    if (answer.status === 503) answer = await organisation.get(asOf === undefined ? path : `${path}?asOf=${asOf}`);
    return answer.status === 200;
  });
  return ((await answer.json()) as { total: Total }).total;
}

async function changesSince({ organisation }: Run, since: string): Promise<Total> {
  const answer = await organisation.get(`/v1/org/ledger/activities/totals/changes?since=${since}`);
  const { items } = (await answer.json()) as { items: { amounts: Total[] }[] };
  const amounts = items.flatMap((item) => item.amounts);
  return {
    quantity: String(amounts.reduce((sum, { quantity }) => sum + Number(quantity), 0)),
    rows: amounts.reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** Returns how many of the times differ in their totals. */
export async function readWhileThingsChange(seed: number, steps: number): Promise<number> {
  const service = await startTestService({ maxQueuedImports: 1_000 });
  const random = seeded(seed);
  const roles = [startWorker(service, slowAppends(service.eventStore, random.fork())), startProjector(service)];
  try {
    const run: Run = { service, organisation: await service.organisation(), random, importIds: [] };
    await push(run);
    const read: { readonly at: string; readonly total: Total }[] = [];
    let left = steps;
    const change = async () => {
      while (left > 0) {
        left -= 1;
        await random.pick([push, push, correct, reverse])(run);
      }
    };
    const readOften = async () => {
      while (left > 0) {
        const at = new Date().toISOString();
        read.push({ at, total: await totalAt(run, at) });
        await pause(random.number(30));
      }
    };
    await Promise.all([change(), change(), change(), readOften()]);
    for (const importId of run.importIds)
      await until("every import has ended", async () => {
        const { status } = (await (await run.organisation.get(`${base.activities}/${importId}`)).json()) as { status: string };
        return status === "completed";
      });
    await projected(service);
    const now = await totalAt(run);
    for (const { at, total } of read) {
      expect({ seed, at, total: await totalAt(run, at) }).toEqual({ seed, at, total });
      const changes = await changesSince(run, at);
      expect({ seed, at, rows: total.rows + changes.rows }).toEqual({ seed, at, rows: now.rows });
      expect(Number(total.quantity) + Number(changes.quantity)).toBe(Number(now.quantity));
    }
    return new Set(read.map(({ total }) => total.quantity)).size;
  } finally {
    await Promise.all(roles.map((role) => role.stop()));
    await service.close();
  }
}
