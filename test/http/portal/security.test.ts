import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formToken, password, signedIn, visitor } from "../../support/portal/portal.js";
import { idFields, portalFieldCases } from "../../support/portal/portalFieldCases.js";
import { portalSecurityCases } from "../../support/portal/portalSecurityCases.js";
import { type PortalStage, preparePortal } from "../../support/portal/portalStage.js";
import { startTestService, type TestService } from "../../support/service.js";
import { startApi } from "../../support/startApi.js";

let service: TestService;
let stage: PortalStage;
let other: PortalStage;
beforeAll(async () => {
  service = await startTestService();
  stage = await preparePortal(service);
  other = await preparePortal(service);
});
afterAll(() => service?.close());

portalSecurityCases(() => stage);
describe("another organisation's ids", () => {
  portalFieldCases(
    () => stage,
    () => other,
  );
});

test("a field counts as an id by its name or by its value", () => {
  const fields = {
    token: randomUUID(),
    name: "x",
    organisation: "a",
    importId: "b",
    rows: `${randomUUID()}:7`,
    note: `of ${stage.organisationId}`,
    none: "",
  };
  expect(idFields(fields, stage)).toEqual(["organisation", "importId", "rows", "note"]);
});

const signIn = (who: ReturnType<typeof visitor>, next = "/portal") =>
  who.post("/portal/sign-in", { email: stage.people.admin.email, password, next });

test("a cookie from before the sign-in is not valid after it", async () => {
  const planted = "p".repeat(43);
  const victim = visitor(service.url, new Map([["waybill", planted]]));
  expect((await signIn(victim)).status).toBe(303);
  expect(victim.cookies.get("waybill")).not.toBe(planted);
  expect((await visitor(service.url, new Map([["waybill", planted]])).get("/portal")).status).toBe(302);
});

test("a new sign-in ends the browser's earlier session", async () => {
  const who = visitor(service.url);
  await signIn(who);
  const earlier = who.cookies.get("waybill") ?? "";
  await signIn(who);
  expect((await visitor(service.url, new Map([["waybill", earlier]])).get("/portal")).status).toBe(302);
  expect((await who.get("/portal")).status).toBe(200);
});

test("a copied cookie is refused as soon as its owner signs out", async () => {
  const owner = await signedIn(service, stage.people.operator);
  const thief = visitor(service.url, new Map(owner.cookies));
  expect((await thief.get("/portal")).status).toBe(200);
  expect((await owner.post("/portal/sign-out", { token: await formToken(owner) })).headers.get("location")).toBe("/portal/sign-in");
  expect(owner.cookies.has("waybill")).toBe(false);
  expect((await thief.get("/portal")).status).toBe(302);
});

test("signing in never leads to another site", async () => {
  const away = [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/portal/..//evil.example",
    "javascript:alert(1)",
    "/portal\t//x",
  ];
  for (const next of away) {
    expect((await signIn(visitor(service.url), next)).headers.get("location")).toBe("/portal");
    const page = await (await visitor(service.url).get(`/portal/sign-in?next=${encodeURIComponent(next)}`)).text();
    expect(page).not.toContain("evil");
  }
});

test("over https cookies are Secure and bound to the host; over http they are HttpOnly and Lax", async () => {
  const plain = (await signIn(visitor(service.url))).headers.getSetCookie().join();
  expect(plain).toMatch(/^waybill=[\w-]{43};.*HttpOnly; SameSite=Lax/);
  const publicUrl = "https://freight.example";
  const portal = { ...service.portal, publicUrl };
  const api = await startApi({ deps: { ...service.deps, publicUrl, portal }, host: "127.0.0.1", port: 0, logger: service.deps.logger });
  try {
    const who = visitor(`http://127.0.0.1:${api.port}`);
    const set = await who.post("/portal/sign-in", { email: stage.people.admin.email, password }, { origin: publicUrl });
    expect(set.headers.getSetCookie().join()).toMatch(/^__Host-waybill=[\w-]{43};.*Path=\/;.*HttpOnly; Secure; SameSite=Lax/);
    expect((await who.get("/portal")).status).toBe(200);
  } finally {
    await api.stop();
  }
});

test("assets have a hash in their address and may be cached for good; assets without it are 404", async () => {
  const page = await (await visitor(service.url).get("/portal/sign-in")).text();
  const addresses = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address]) => address ?? "");
  expect(addresses.length).toBeGreaterThanOrEqual(4);
  for (const address of addresses) {
    expect(address).toMatch(/^\/portal\/assets\/[0-9a-f]{12}\/\w+\.(css|js|svg)$/);
    const { status, headers } = await visitor(service.url).get(address);
    expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  }
  const folder = addresses[0]?.replace(/[^/]+$/, "") ?? "";
  const script = await (await visitor(service.url).get(`${folder}corrections/sheet.js`)).text();
  const [, imported = ""] = /from "([^"]+)"/.exec(script) ?? [];
  expect((await visitor(service.url).get(new URL(imported, `http://x${folder}corrections/sheet.js`).pathname)).status).toBe(200);
  for (const name of ["styles.css", "..%2fassets.js", "%2e%2e/portal.js", "__proto__"])
    for (const parent of ["/portal/assets/", folder, "/portal/assets/0123456789ab/"])
      expect([name, parent, (await visitor(service.url).get(parent + name)).status === 404]).toEqual([
        name,
        parent,
        parent !== folder || name !== "styles.css",
      ]);
});

test("an unknown path is answered by a page, and a wrong method with 405 and the right ones", async () => {
  const missing = await visitor(service.url).get("/portal/nothing-here");
  expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  const wrong = await fetch(`${service.url}/portal/settings/keys`, { method: "DELETE" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
});

test("a key's name is shown as text, never as markup", async () => {
  const who = await signedIn(service, stage.people.admin);
  const token = await formToken(who);
  await who.post("/portal/settings/keys", { token, name: `<script>alert("x")</script>`, scopes: "read" });
  const page = await (await who.get("/portal/settings/keys")).text();
  expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)");
  expect(page).not.toContain("<script>alert");
});

test("a notice with a new key is not shown in another session", async () => {
  const who = await signedIn(service, stage.people.admin);
  await who.post("/portal/settings/keys", { token: await formToken(who), name: "told once", scopes: "read" });
  const other = await signedIn(service, stage.people.admin);
  other.cookies.set("waybill_notice", who.cookies.get("waybill_notice") ?? "");
  expect(await (await other.get("/portal/settings/keys")).text()).not.toMatch(/wb_live_\w{30}/);
});
