// After any sequence of pushes, cancellations and restarts on real stores the ledgers equal those of a simple model.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { everyCase } from "../support/projects/everyCase.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { startTestEventStore } from "../support/stores/eventStore.js";
import { expectedAfter, type ModelActivity, type ModelShipment, type Push } from "./ledgerModel.js";

const long = process.env["WAYBILL_LONG"] !== undefined;

let service: TestService;
let workers: Role[];
let projector: Role;

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 1000 }, undefined, {}, startTestEventStore);
  workers = [startWorker(service), startWorker(service)];
  projector = startProjector(service);
});
afterAll(async () => {
  await Promise.all([...(workers ?? []), projector].map((role) => role?.stop()));
  await service?.close();
});

const line = fc.record({ itemType: fc.constantFrom("Carton", "Pallet"), itemQuantity: fc.constantFrom(1, 2, 5, 0) });
const goodLine = fc.record({ itemType: fc.constantFrom("Carton", "Pallet"), itemQuantity: fc.integer({ min: 1, max: 9 }) });
const shipment: fc.Arbitrary<ModelShipment> = fc.record(
  {
    shipmentId: fc.constantFrom("A", "B", "C", "D", "E", ""),
    originPostCode: fc.constantFrom("2000", "2000", "2000", "9999"),
    destinationPostCode: fc.constantFrom("3000", "3000", "3000", "0872"),
    customerId: fc.constantFrom("CUST-001", "CUST-002", "CUST-999"),
    customFields: fc.constantFrom({ costCentre: "12" }, { project: "x" }),
    items: fc.array(fc.oneof({ weight: 5, arbitrary: goodLine }, { weight: 1, arbitrary: line }), { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ["shipmentId", "originPostCode", "destinationPostCode", "items"] },
);
const activity: fc.Arbitrary<ModelActivity> = fc.record(
  {
    warehouseCode: fc.constantFrom("SYD1", "MEL1"),
    chargeCode: fc.constantFrom("PICK", "PACK"),
    quantity: fc.constantFrom(1, 2.5, -1),
    activityTimestamp: fc.constant("2026-03-01T09:30:00Z"),
    customerId: fc.constantFrom("CUST-001", "CUST-999"),
    reference: fc.string({ maxLength: 8 }).filter((text) => text.trim() === text && text !== ""),
  },
  { requiredKeys: ["warehouseCode", "chargeCode", "quantity", "activityTimestamp", "reference"] },
);

type Step =
  | { do: "shipments"; shipments: ModelShipment[] }
  | { do: "activities"; activities: ModelActivity[]; twice: boolean }
  | { do: "unusable file" }
  | { do: "cancel the newest" }
  | { do: "restart a worker" }
  | { do: "restart the projector" }
  | { do: "kill the event store" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("shipments" as const), shipments: fc.array(shipment, { minLength: 1, maxLength: 6 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("activities" as const),
      activities: fc.array(activity, { minLength: 1, maxLength: 6 }),
      twice: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "unusable file" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "cancel the newest" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "restart a worker" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "restart the projector" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "kill the event store" }) },
);

const pathOf = { shipments: "/v1/org/shipments/imports", activities: "/v1/org/fulfilment/imports" } as const;

async function take(current: Step, org: TestOrganisation, pushes: Push[]): Promise<void> {
  /** Sends the push again after a 503, which a store that was just killed may cause; the key makes it the same push. */
  const accepted = async (send: (headers: Record<string, string>) => Promise<Response>, push: Omit<Push, "importId">) => {
    const key = { "idempotency-key": randomUUID() };
    let answer = await send(key);
    for (let attempt = 1; answer.status === 503 && attempt < 10; attempt += 1) answer = await send(key);
    const body = (await answer.json()) as { importId: string };
    expect(answer.status, JSON.stringify(body)).toBe(202);
    pushes.push({ ...push, importId: body.importId });
  };
  const nothing = { shipments: [], activities: [], unusable: false };
  switch (current.do) {
    case "shipments": {
      const { shipments } = current;
      return accepted((headers) => org.post(pathOf.shipments, { shipments }, headers), { ...nothing, kind: "shipments", shipments });
    }
    case "activities":
      for (const _ of current.twice ? [1, 2] : [1]) {
        const { activities } = current;
        await accepted((headers) => org.post("/v1/org/fulfilment/activities", { activities }, headers), {
          ...nothing,
          kind: "activities",
          activities,
        });
      }
      return;
    case "unusable file": {
      const good = "SYD1,PICK,2,2026-03-01\n".repeat(100_000); // so many good rows that the upload does not reach the fault, and only the import does
      const file = new File([`warehouseCode,chargeCode,quantity,activityTimestamp\n${good}SYD1,"PICK,2,2026-03-01\n`], "broken.csv");
      return accepted((headers) => org.upload("/v1/org/fulfilment/activities/file", file, {}, headers), {
        ...nothing,
        kind: "activities",
        unusable: true,
      });
    }
    case "cancel the newest": {
      const newest = pushes.at(-1);
      if (!newest) return;
      const answer = await org.post(`${pathOf[newest.kind]}/${newest.importId}/cancel`, {});
      expect([200, 202, 409, 503]).toContain(answer.status);
      return;
    }
    case "restart a worker":
      await workers.shift()?.stop();
      workers.push(startWorker(service));
      return;
    case "restart the projector":
      await projector.stop();
      projector = startProjector(service);
      return;
    case "kill the event store":
      await service.store.kill();
      await service.store.restart();
      return;
  }
}

/** A store that was just killed, or is late, may cause a 503: then the request is sent again. */
async function answerOf(org: TestOrganisation, path: string): Promise<Response> {
  let answer = await org.get(path);
  await eventually(async () => {
    if (answer.status === 503) answer = await org.get(path);
    return answer.status !== 503;
  }, `an answer from ${path}`);
  return answer;
}

async function everything(org: TestOrganisation, path: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = (await (
      await answerOf(org, `${path}${path.includes("?") ? "&" : "?"}limit=3${cursor ? `&cursor=${cursor}` : ""}`)
    ).json()) as {
      items: Record<string, unknown>[];
      nextCursor: string | null;
    };
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

async function endOf(org: TestOrganisation, push: Push): Promise<{ status: string; counts: unknown; progress: number }> {
  let last: { status: string; counts: unknown; progress: number } | undefined;
  await eventually(async () => {
    const answer = await answerOf(org, `${pathOf[push.kind]}/${push.importId}`);
    if (answer.status !== 200) throw new Error(`status ${answer.status} for ${push.importId}`);
    const before = last?.progress ?? 0;
    last = (await answer.json()) as typeof last & object;
    expect(last.progress).toBeGreaterThanOrEqual(before);
    return ["completed", "failed", "cancelled"].includes(last.status);
  }, `import ${push.importId} to end`);
  return last as NonNullable<typeof last>;
}

async function check(org: TestOrganisation, pushes: readonly Push[]): Promise<void> {
  const ended = new Map<string, Awaited<ReturnType<typeof endOf>>>();
  for (const push of pushes) ended.set(push.importId, await endOf(org, push));
  const expected = expectedAfter(pushes, (importId) => ended.get(importId)?.status ?? "");
  for (const push of pushes) {
    const end = ended.get(push.importId);
    if (push.unusable) expect(end?.status).not.toBe("completed");
    expect(end?.progress === 100).toBe(end?.status === "completed");
    const counts = expected.counts.get(push.importId);
    if (!counts) continue;
    expect(end?.counts).toEqual(counts);
    expect(await everything(org, `${pathOf[push.kind]}/${push.importId}/errors`)).toHaveLength(counts.failed);
  }
  const shipments = await everything(org, "/v1/org/ledger/shipments");
  const shown = shipments.map(({ shipmentId, items, importId }) => [shipmentId, { items, importId }] as const);
  expect(new Map(shown)).toEqual(expected.shipments);
  expect(shown).toHaveLength(expected.shipments.size);
  for (const push of pushes.filter(({ kind }) => kind === "activities")) {
    const rows = await everything(org, `/v1/org/ledger/activities?importId=${push.importId}`);
    expect(rows.map(({ importId, row, ...fields }) => fields)).toEqual(expected.activities.get(push.importId) ?? []);
  }
}

it("the ledgers equal the model after any sequence of pushes, failures, cancellations and restarts", { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const org = await service.organisation();
      const pushes: Push[] = [];
      for (const current of steps) await take(current, org, pushes);
      await check(org, pushes);
    }),
    { numRuns: long ? 200 : everyCase ? 10 : 3, endOnFailure: !long },
  );
});
