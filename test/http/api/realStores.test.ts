import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, revokeKey } from "../../../src/commands/organisations/keys.js";
import { organisationDeps, startTestService, type TestOrganisation, type TestService } from "../../support/service.js";
import { startTestEventStore } from "../../support/stores/eventStore.js";

let service: TestService;
let organisation: TestOrganisation;
let urls: string[];
beforeAll(async () => {
  service = await startTestService({}, undefined, {}, startTestEventStore);
  organisation = await service.organisation();
  urls = [service.url, await service.startAnotherApi()];
});
afterAll(() => service?.close());

const origin = { by: { kind: "cli" as const, id: "test" }, correlationId: "test" };
const create = async () =>
  (await createKey(organisationDeps(service.pool, service.eventStore), { organisationId: organisation.id, name: "second" }, origin)).key;
const revoke = (key: string) =>
  revokeKey(organisationDeps(service.pool, service.eventStore), { organisationId: organisation.id, prefix: key }, origin);
const statuses = (key: string) =>
  Promise.all(
    urls.map(async (url) => {
      const response = await fetch(`${url}/v1/org/quote/getQuote/made-up`, { headers: { "x-api-key": key } });
      return response.status;
    }),
  );

describe("keys made and revoked by commands", () => {
  test("work at once, and are refused at once after they are revoked, at every API process and without a projector", async () => {
    const key = await create();
    expect(await statuses(key)).toEqual([404, 404]);
    await revoke(key);
    expect(await statuses(key)).toEqual([401, 401]);
  });

  test("several keys of one organisation are revoked one by one", async () => {
    const [first, second] = [await create(), await create()];
    await revoke(first);
    expect(await statuses(first)).toEqual([401, 401]);
    expect(await statuses(second)).toEqual([404, 404]);
  });
});

test("the service is ready on real stores, and not without its event store", async () => {
  const ready = await fetch(`${service.url}/readyz`);
  expect(await ready.json()).toEqual({ status: "ready", checks: { postgres: "ok", eventStore: "ok", objectStore: "ok" } });
  await service.store.kill();
  try {
    const unready = await fetch(`${service.url}/readyz`);
    expect(unready.status).toBe(503);
    expect(await unready.json()).toMatchObject({ checks: { postgres: "ok", eventStore: "failed" } });
  } finally {
    await service.store.restart();
  }
});
