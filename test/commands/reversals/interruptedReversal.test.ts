// A process that ends between the decision on a reversal and its record: whoever next decides on the import's rows records it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { reverseRows } from "../../../src/commands/reversals/reverseRows.js";
import { streamOf } from "../../../src/events/streams.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { base, projected } from "../../model/reversalSteps.js";
import { until } from "../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

let service: TestService;
let organisation: TestOrganisation;
let roles: Role[] = [];
beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  roles = [startWorker(service), startProjector(service)];
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  await service?.close();
});

const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };

async function pushed(): Promise<string> {
  const answer = await organisation.post("/v1/org/fulfilment/activities", {
    activities: [activity, { ...activity, customerId: "CUST-999" }],
  });
  const { importId } = (await answer.json()) as { importId: string };
  await until("the import has completed", async () => {
    const { status } = (await (await organisation.get(`${base.activities}/${importId}`)).json()) as { status: string };
    return status === "completed";
  });
  await projected(service);
  return importId;
}

const by = { kind: "cli", id: "test" } as const;
const request = (importId: string) => ({
  ...{ organisationId: organisation.id, importId, selection: { all: true } as const, reason: "sent twice" },
  ...{ includeCorrections: false, preview: false, by, now: () => new Date() },
});

/** The decision is appended, and then the event store is gone. */
async function interruptedReversal(importId: string): Promise<void> {
  const dying: EventStore = {
    ...service.eventStore,
    append: (stream, ...rest) =>
      stream === streamOf.reversals(importId)
        ? Promise.reject(new StoreUnavailable("event store", "gone"))
        : service.eventStore.append(stream, ...rest),
  };
  await expect(reverseRows({ pool: service.pool, eventStore: dying }, request(importId))).rejects.toThrow("gone");
  expect(await service.eventStore.last(streamOf.reversals(importId))).toBeUndefined();
}

const recorded = async (importId: string) => (await service.eventStore.last(streamOf.reversals(importId)))?.revision;

test("the same call again finds everything reversed, once", async () => {
  const importId = await pushed();
  await interruptedReversal(importId);
  const outcome = await reverseRows(service.deps, request(importId));
  expect(outcome).toMatchObject({ reversalId: null, reversed: 0, alreadyReversed: 1 });
  expect(await recorded(importId)).toBe(0n);
});

test("a correction finds its row withdrawn", async () => {
  const importId = await pushed();
  await interruptedReversal(importId);
  const answer = await organisation.post(`${base.activities}/${importId}/corrections`, { rows: [{ row: 2, values: { customerId: "" } }] });
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 409,
    body: { message: "Row 2 is withdrawn: its import is reversed" },
  });
  expect(await recorded(importId)).toBe(0n);
});

test("a reversal is never dated before the end of its import, whatever the caller's clock says", async () => {
  const importId = await pushed();
  await reverseRows(service.deps, { ...request(importId), now: () => new Date(0) });
  await projected(service);
  const shown = (await (await organisation.get(`${base.activities}/${importId}`)).json()) as {
    finishedAt: string;
    reversed: { at: string };
  };
  expect(Date.parse(shown.reversed.at)).toBeGreaterThanOrEqual(Date.parse(shown.finishedAt));
  const recordedEvent = await service.eventStore.last(streamOf.reversals(importId));
  const decidedAt = recordedEvent && (recordedEvent.data as { at: string }).at;
  expect(Date.parse(String(decidedAt))).toBeGreaterThanOrEqual(Date.parse(shown.finishedAt));
});
