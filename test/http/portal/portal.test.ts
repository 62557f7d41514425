import { afterAll, beforeAll, expect, test } from "vitest";
import { listKeys } from "../../../src/queries/organisations/keys.js";
import { addMember, formToken, heading, password, signedIn, type TestMember, visitor } from "../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

let service: TestService;
let organisation: TestOrganisation;
let admin: TestMember;
beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  admin = await addMember(service, organisation.id, "admin");
});
afterAll(() => service?.close());

test("a browser at / is redirected to the portal, and from there to sign-in", async () => {
  const browser = visitor(service.url);
  const first = await browser.get("/");
  expect([first.status, first.headers.get("location")]).toEqual([302, "/portal"]);
  const second = await browser.get("/portal");
  expect([second.status, second.headers.get("location")]).toEqual([302, "/portal/sign-in"]);
});

test("an address with a slash at its end is redirected to the page", async () => {
  const browser = await signedIn(service, admin);
  for (const [given, meant] of [
    ["/portal/", "/portal"],
    ["/portal/imports/?status=failed&kind=", "/portal/imports?status=failed&kind="],
    ["/portal//", "/portal"],
    ["/portal//elsewhere.example//", "/portal//elsewhere.example"],
  ] as const) {
    const { status, headers } = await browser.get(given);
    expect([given, status, headers.get("location")]).toEqual([given, 302, meant]);
  }
  expect((await browser.post("/portal/imports/", {})).status).toBe(404);
  expect((await browser.get("/v1/org/quotes/")).status).toBe(404);
});

test("a program gets JSON errors, never a page of the portal", async () => {
  for (const path of ["/", "/v1/org/nothing", "/v1/org/quotes"]) {
    const response = await fetch(`${service.url}${path}`, { headers: { accept: "application/json" }, redirect: "manual" });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.status).toBeGreaterThanOrEqual(400);
  }
  expect((await fetch(`${service.url}/`, { headers: { "x-api-key": organisation.key }, redirect: "manual" })).status).toBe(404);
});

test("signing in leads to the page that was asked for", async () => {
  const browser = visitor(service.url);
  const asked = await browser.get("/portal/settings/keys?revoke=x");
  const signIn = asked.headers.get("location") ?? "";
  expect(signIn).toBe("/portal/sign-in?next=%2Fportal%2Fsettings%2Fkeys%3Frevoke%3Dx");
  const page = await (await browser.get(signIn)).text();
  expect(heading(page)).toBe("Sign in");
  const next = /name="next" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const done = await browser.post("/portal/sign-in", { email: admin.email, password, next });
  expect([done.status, done.headers.get("location")]).toEqual([303, "/portal/settings/keys?revoke=x"]);
  expect(heading(await (await browser.get("/portal/settings/keys")).text())).toBe("API keys");
});

test("a wrong password and an unknown e-mail get the same page", async () => {
  const tries = [admin.email, "nobody@example.com"].map(async (email) => {
    const response = await visitor(service.url).post("/portal/sign-in", { email, password: "wrong wrong wrong" });
    const page = await response.text();
    return [response.status, page.replaceAll(email, "").replaceAll(response.headers.get("x-request-id") ?? "", "")];
  });
  const [known, unknown] = await Promise.all(tries);
  expect(known).toEqual(unknown);
  expect(known?.[0]).toBe(401);
});

test("a key is shown once, works, and is refused as soon as it is revoked", async () => {
  const person = await signedIn(service, admin);
  const token = await formToken(person);
  const created = await person.post("/portal/settings/keys", { token, name: "warehouse", scopes: "read" });
  expect([created.status, created.headers.get("location")]).toEqual([303, "/portal/settings/keys"]);
  const page = await (await person.get("/portal/settings/keys")).text();
  const key = /wb_live_[A-Za-z0-9]{36}/.exec(page)?.[0] ?? "";
  const use = () => fetch(`${service.url}/v1/org/shipments/imports`, { headers: { "x-api-key": key } });
  expect((await use()).status).toBe(200);
  const again = await (await person.get("/portal/settings/keys")).text();
  expect(again).not.toContain(key);
  expect(again).toContain(key.slice(0, 12));
  const [row] = (await listKeys(organisation.id, service.pool)).filter(({ prefix }) => prefix === key.slice(0, 12));
  expect(row?.lastUsedAt).toBeInstanceOf(Date);
  const revoked = await person.post(`/portal/settings/keys/${row?.keyId}/revoke`, { token });
  expect(revoked.status).toBe(303);
  expect((await use()).status).toBe(401);
  expect(await (await person.get("/portal/settings/keys")).text()).toContain(`warehouse (${key.slice(0, 12)}) revoked.`);
});
