import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMetrics } from "../../../src/adapters/metrics.js";
import { eventually } from "../../support/eventually.js";
import { createShell } from "../../support/shell.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

let database: TestDatabase;
let app: ReturnType<typeof createShell>;
beforeAll(async () => {
  database = await createTestDatabase();
  app = createShell(database.pool);
});
afterAll(() => database?.close());

test("/healthz answers without asking any store", async () => {
  const response = await createShell({ query: () => Promise.reject(new Error("down")) } as never).request("/healthz");
  expect(response.status).toBe(200);
});

test("/readyz is 200 when every check succeeds, and otherwise names the failed check without its error", async () => {
  const ready = await app.request("/readyz");
  expect(ready.status).toBe(200);
  const checks = { postgres: "ok", eventStore: "ok", objectStore: "ok" };
  expect(await ready.json()).toEqual({ status: "ready", checks });
  const throwing = (): Promise<void> => {
    throw new Error("before there was anything to wait for");
  };
  const readiness = { projections: () => Promise.reject(new Error("60 s behind, at secret.host")), throwing };
  const lagging = await createShell(database.pool, { deps: { readiness } }).request("/readyz");
  expect(lagging.status).toBe(503);
  expect(await lagging.json()).toEqual({ status: "unavailable", checks: { ...checks, projections: "failed", throwing: "failed" } });
});

test("/metrics counts requests by route, not by address", async () => {
  await app.request("/made/up/1");
  await app.request("/healthz");
  const response = await app.request("/metrics");
  expect(response.headers.get("content-type")).toContain("text/plain");
  const text = await response.text();
  expect(text).toContain('waybill_http_request_seconds_count{method="GET",route="unmatched",status="404"} 1');
  expect(text).toContain('route="/healthz",status="200"');
  expect(text).toContain("process_cpu_seconds_total");
});

test("/metrics tells of a blocked event loop, and again of none afterwards", async () => {
  const metrics = createMetrics();
  const longest = async () => Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec((await metrics.render()).text)?.[1]);
  await eventually(async () => {
    await pause(150); // a sample before the block, and one after it
    for (const begun = performance.now(); performance.now() - begun < 400; );
    await pause(150);
    return (await longest()) > 0.1;
  }, "the delay");
  await eventually(async () => {
    await pause(150);
    return (await longest()) < 0.1;
  }, "no delay");
});

test("/metrics leaves out a number that cannot be looked up, and shows the rest", async () => {
  const answers = [async () => 4, async () => Promise.reject(new Error("down")), async () => 5, async () => undefined];
  const metrics = createMetrics([{ name: "looked_up", help: "x", read: () => answers.shift()?.() ?? Promise.resolve(undefined) }]);
  const shown = async () => /^looked_up (\S+)$/m.exec((await metrics.render()).text)?.[1];
  expect([await shown(), await shown(), await shown(), await shown()]).toEqual(["4", undefined, "5", undefined]);
});

test("/docs loads nothing from other hosts, and all that it loads exists", async () => {
  const page = await app.request("/docs");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  const html = await page.text();
  const addresses = [...html.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? "");
  expect(addresses).toEqual(["data:,", "docs/reference.css", "docs/reference.js"]);
  for (const address of addresses.slice(1)) expect((await app.request(new URL(address, "http://x/docs").pathname)).status).toBe(200);
  expect(html).not.toMatch(/ style="|<style|onclick=/);
  const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id ?? "");
  for (const id of anchors) expect(html).toContain(`id="${id}"`);
});
