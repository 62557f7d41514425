import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeApiKey } from "../../src/domain/apiKey.js";
import { streamPrefix } from "../../src/events/streams.js";
import { routes } from "../../src/http/api/routes/list.js";
import { useCommandLine } from "../support/commandLine.js";
import { filesBelow } from "../support/namesBelow.js";
import { type IdentityProvider, startIdentityProvider } from "../support/portal/identityProvider.js";
import { until } from "../support/processes.js";
import type { Customer } from "./callers/customer.js";
import { usePortal } from "./callers/portalSecrets.js";
import { formsOf, useWebhooks } from "./callers/webhookSecrets.js";
import { type SeparateRoles, startSeparateRoles } from "./machines/separateRoles.js";
import { everything, type Shown } from "./reckoning.js";

const publicUrl = "http://127.0.0.1:3000";
let roles: SeparateRoles;
const command = useCommandLine();
let provider: IdentityProvider;
let customer: Customer;
/** One key that is in use, and one that was never issued. */
let sentinels: string[];
const told: string[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider(`${publicUrl}/portal/sso/callback`);
  const { issuer, clientId, clientSecret } = provider;
  const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  roles = await startSeparateRoles({
    fileObjects: true,
    environment: { LOG_LEVEL: "trace", PUBLIC_URL: publicUrl, WEBHOOK_PRIVATE: "on", ...oidc },
  });
  customer = await roles.newCustomer();
  sentinels = [customer.key, makeApiKey(randomBytes)];
});
afterAll(async () => {
  await roles?.close();
  await provider?.close();
});

/** Sends a request and keeps the answer with its headers, to be searched for secrets. Returns the status. */
async function tell(path: string, init: RequestInit = {}): Promise<number> {
  const answer = await fetch(`${roles.url}${path}`, init);
  told.push(JSON.stringify([...answer.headers]) + (await answer.text()));
  return answer.status;
}

const activity = { warehouseCode: "W", chargeCode: "C", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z", reference: "r" };
const json = { "content-type": "application/json" };

async function useEverywhere(key: string): Promise<void> {
  const own = { "x-api-key": customer.key };
  for (const { method, path } of routes) {
    const body =
      method === "POST" ? { body: JSON.stringify({ [key]: key, "x-api-key": key, activities: [{ ...activity, [key]: key }] }) } : {};
    await tell(path.replaceAll(/\{\w+\}/g, "x"), { method, headers: { ...json, "x-api-key": key }, ...body });
    await tell(`${path.replaceAll(/\{\w+\}/g, key)}?x-api-key=${key}&cursor=${key}&limit=${key}&importId=${key}`, {
      method,
      headers: { ...json, ...own },
      ...body,
    });
    await tell(path, { method, headers: { ...json, ...own }, ...(method === "POST" ? { body: key } : {}) });
  }
  for (const path of [`/${key}`, `/v1/${key}?${key}=1`, `/files/${key}?signature=${key}&expires=1&name=${key}`, `/docs/${key}`])
    await tell(path);
  await tell("/v1/org/ledger/shipments", { headers: { ...own, authorization: `Bearer ${key}`, cookie: `k=${key}`, "user-agent": key } });
  await tell("/v1/org/ledger/shipments", { headers: { "x-api-key": `${key} ` } });
  await tell("/v1/org/ledger/shipments", { method: key, headers: own }).catch(() => undefined);
  for (const [name, file] of [
    ["file", new File(["x"], `${key}.exe`)],
    [key, new File(["x"], "a.csv")],
    ["file", new File([`${key},b\n1,2\n`], "a.csv")],
  ] as const) {
    const form = new FormData();
    form.append(name, file);
    await tell("/v1/org/fulfilment/activities/file", { method: "POST", headers: own, body: form });
  }
  // An accepted push with the key in every header that the service stores in some form.
  const accepted = await tell("/v1/org/fulfilment/activities", {
    method: "POST",
    headers: { ...json, ...own, "idempotency-key": key, "x-request-id": key },
    body: JSON.stringify({ activities: [activity] }),
  });
  expect(accepted).toBe(202);
}

/** The file's content; empty if the file is gone by now. */
const contentOf = (path: string) => readFile(path, "latin1").catch(() => "");

async function everythingKept(): Promise<Map<string, string>> {
  const kept = new Map<string, string>();
  for (const process of roles.processes) kept.set(`the log of the ${process.role}`, process.log());
  kept.set("answers", told.join("\n"));
  kept.set("metrics", await (await fetch(`${roles.url}/metrics`)).text());
  const events: unknown[] = [];
  await roles.eventStore.replay({ prefixes: Object.values(streamPrefix) }, async (batch) => {
    events.push(...batch.events.map(({ stream, type, data, metadata }) => ({ stream, type, data, metadata })));
  });
  kept.set("events", JSON.stringify(events));
  const tables = await roles.pool.query<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'");
  for (const { name } of tables.rows) {
    kept.set(`table ${name}`, JSON.stringify((await roles.pool.query(`select t::text from "${name}" t`)).rows));
  }
  for (const path of await filesBelow(join(roles.folder, "objects"))) kept.set(path, await contentOf(path));
  return kept;
}

test("keys used in every way appear in no log, answer, metric, event, table or object", async () => {
  for (const key of sentinels) await useEverywhere(key);
  const [inUse = "", unknown = ""] = sentinels;
  for (const args of [
    ["keys", "revoke", unknown, "--org", customer.organisationId],
    ["audit", "import", inUse],
  ]) {
    const { code, stdout, stderr } = await command(args, roles.environment);
    expect(code, args.join(" ")).toBe(1);
    told.push(stdout + stderr);
  }
  await until("both imports are done", async () => {
    const list = await everything<Shown>(roles.url, customer.key, "/v1/org/fulfilment/imports");
    return list.filter(({ status }) => status === "completed").length === sentinels.length;
  });
  const kept = await everythingKept();
  expect(kept.get("the log of the api")).toContain('"request"');
  expect(kept.get("events")).toContain("ImportCompleted");
  expect([...kept.keys()].some((name) => name.includes("uploads"))).toBe(true);
  for (const key of sentinels) expectNowhere(kept, key, "a key");
});

function expectNowhere(kept: ReadonlyMap<string, string>, secret: string, what: string): void {
  for (const [where, text] of kept) {
    const at = text.indexOf(secret);
    expect(at < 0 ? "" : text.slice(Math.max(0, at - 200), at + 100), `${what} in ${where}`).toBe("");
  }
}

test("passwords, links, cookies, form tokens and codes of the portal appear in no log, metric, event, table or object", async () => {
  const { secrets, statuses, said } = await usePortal({ ...roles, command }, provider, customer.organisationId);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 303, 302, 400, 401, 403, 404, 413, 415, 503]));
  const kept = await everythingKept();
  kept.delete("answers");
  kept.set("what a command said", said);
  expect(kept.get("the log of the api")).toContain('"route":"/portal/join/{token}"');
  expect(kept.get("the log of the api")).toContain("a single sign-on failed");
  expect(secrets.size).toBeGreaterThanOrEqual(20);
  for (const [what, secret] of secrets) {
    expectNowhere(kept, secret, what);
    expectNowhere(kept, encodeURIComponent(secret), what);
  }
});

test("secrets of webhooks are in no log, file, table, event or error; metrics count deliveries, and readiness depends on no endpoint", async () => {
  const told = await roles.newCustomer();
  const { secrets, endpointId, said } = await useWebhooks({ ...roles, command }, told, async () => {
    const body = JSON.stringify({ activities: [activity] });
    expect(await tell("/v1/org/fulfilment/activities", { method: "POST", headers: { ...json, "x-api-key": told.key }, body })).toBe(202);
  });
  await roles.pool.query("checkpoint");
  const kept = await everythingKept();
  kept.set("what commands said", said);
  for (const folder of [roles.folder, roles.eventStoreFolder ?? roles.folder])
    for (const path of await filesBelow(folder)) kept.set(path, await contentOf(path));
  expect(secrets.every((secret) => /^whsec_.{44}$/.test(secret))).toBe(true);
  expect([...kept.values()].filter((text) => text.includes(endpointId)).length).toBeGreaterThan(1); // the search does find the endpoint's id
  for (const secret of secrets) for (const form of formsOf(secret)) expectNowhere(kept, form, "a webhook's secret");
});
