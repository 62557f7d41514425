import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../src/http/routes/list.js";
import { startTestApi, type TestApi } from "../support/api.js";

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await api.apply({ organisation: { id: "acme", name: "Acme" } });
});
afterAll(() => api?.close());

const probe = "/v1/org/quote/getQuote/00000000-0000-7000-8000-000000000000";

describe("keys made and revoked by commands", () => {
  test("work at once at every process, and stop at once at every process, with no projector running", async () => {
    const other = await api.another();
    const key = await api.createKey("acme");
    for (const each of [api, other]) expect((await each.request(probe, { key })).status).toBe(404);
    await api.revokeKey("acme", key);
    for (const each of [api, other]) expect((await each.request(probe, { key })).status).toBe(401);
  });

  test("several keys of one organisation are revoked one by one", async () => {
    const [first, second] = [await api.createKey("acme"), await api.createKey("acme")];
    await api.revokeKey("acme", first);
    expect((await api.request(probe, { key: first })).status).toBe(401);
    expect((await api.request(probe, { key: second })).status).toBe(404);
  });
});

test("is ready on real stores", async () => {
  const response = await api.request("/readyz");
  expect(await response.json()).toEqual({ status: "ready", checks: { postgres: "ok", eventStore: "ok", objectStore: "ok" } });
});

test("every route of the contract is there", () => {
  const known = routes.filter(({ extension }) => extension !== true).map(({ method, path }) => `${method} ${path}`);
  expect(known).toEqual(expect.arrayContaining(["POST /v1/org/quote/getQuote", "GET /v1/org/quote/getQuote/{quoteId}"]));
});
