import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StoreUnavailable } from "../../../src/portErrors.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { eventually } from "../../support/eventually.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";
import { startApi } from "../../support/startApi.js";

let service: TestService;
let api: Awaited<ReturnType<typeof startApi>>;
let organisation: TestOrganisation;
/** Streams to which the API appended ImportRequested without getting an answer. */
let streams: string[] = [];
let landing = true;

beforeAll(async () => {
  service = await startTestService();
  const unheard: EventStore = {
    ...service.eventStore,
    append: async (stream, events, ...rest) => {
      if (events[0]?.type !== "ImportRequested") return service.eventStore.append(stream, events, ...rest);
      if (landing) await service.eventStore.append(stream, events, ...rest);
      streams.push(stream);
      throw new StoreUnavailable("event store", "no answer", { outcomeUnknown: true });
    },
  };
  api = await startApi({ deps: { ...service.deps, eventStore: unheard }, host: "127.0.0.1", port: 0, logger: service.deps.logger });
});
afterAll(async () => {
  await api?.stop();
  await service?.close();
});

const activities = [{ warehouseCode: "W", chargeCode: "C", quantity: 1, activityTimestamp: "2026-01-01T00:00:00Z" }];
const path = "/v1/org/fulfilment/activities";
const places = async () =>
  (await service.pool.query<{ position: string | null }>("select position from import_queue where organisation_id = $1", [organisation.id]))
    .rows;

async function pushUnheard(headers: Record<string, string> = {}): Promise<string> {
  streams = [];
  organisation = await service.organisation();
  const answer = await organisation.post(`http://127.0.0.1:${api.port}${path}`, { activities }, headers);
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  expect(streams).toHaveLength(1);
  return streams[0] ?? "";
}

test("a push answered 503 that had landed is cancelled, so that sending it again is not billed twice", async () => {
  landing = true;
  const stream = await pushUnheard();
  await eventually(async () => (await service.eventStore.last(stream))?.type === "ImportCancelled", "the import to be cancelled");
  await eventually(async () => (await places()).length === 0, "its place to be free");
});

test("a push answered 503 that had landed with an Idempotency-Key is found by sending it again, and is queued", async () => {
  landing = true;
  const key = { "idempotency-key": randomUUID() };
  const stream = await pushUnheard(key);
  const again = await organisation.post(path, { activities }, key);
  expect(again.status).toBe(202);
  expect(`import-${((await again.json()) as { importId: string }).importId}`).toBe(stream);
  await eventually(async () => (await places()).every(({ position }) => position !== null), "its place to be confirmed");
  expect(await places()).toHaveLength(1);
  expect((await service.eventStore.last(stream))?.type).toBe("ImportRequested");
});

test("a push answered 503 that had not landed leaves nothing, and its place in the queue is free again", async () => {
  landing = false;
  const stream = await pushUnheard();
  await eventually(async () => (await places()).length === 0, "its place to be free");
  expect(await service.eventStore.last(stream)).toBeUndefined();
});
