import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSingleSignOn } from "../../../src/adapters/singleSignOn.js";
import { inviteMember, makeLink, removeMember } from "../../../src/commands/members/manageMembers.js";
import { hashToken } from "../../../src/domain/members.js";
import { singleSignOnPaths } from "../../../src/http/portal/pages/signIn.js";
import { listMembers } from "../../../src/queries/organisations/organisations.js";
import { type IdentityProvider, startIdentityProvider } from "../../support/portal/identityProvider.js";
import { addMember, heading, password, type TestMember, type Visitor, visitor } from "../../support/portal/portal.js";
import { formsIn } from "../../support/portal/renderedForms.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";
import { startApi } from "../../support/startApi.js";

const publicUrl = "http://127.0.0.1:3000";
const redirectUri = `${publicUrl}${singleSignOnPaths.finish}`;
const origin = { by: { kind: "cli", id: "test" } as const, correlationId: "test" };

let service: TestService;
let provider: IdentityProvider;
let organisation: TestOrganisation;
let member: TestMember;
let url: string;
let stop: () => Promise<void>;
let log = "";
const logger = pino(
  { level: "trace" },
  new Writable({
    write: (chunk, _, done) => {
      log += String(chunk);
      done();
    },
  }),
);

beforeAll(async () => {
  service = await startTestService({}, publicUrl);
  provider = await startIdentityProvider(redirectUri);
  const { issuer, clientId, clientSecret } = provider;
  const singleSignOn = createSingleSignOn({ issuer, clientId, clientSecret, redirectUri, logger });
  const api = await startApi({
    deps: { ...service.deps, logger, portal: { ...service.portal, singleSignOn } },
    ...{ host: "127.0.0.1", port: 0, logger },
  });
  url = `http://127.0.0.1:${api.port}`;
  stop = () => api.stop();
  organisation = await service.organisation();
  member = await addMember(service, organisation.id, "operator");
});
beforeEach(() => {
  provider.account = { email: member.email, email_verified: true };
});
afterAll(async () => {
  await stop?.();
  await provider?.close();
  await service?.close();
});

const begin = async (browser: Visitor, query = "") =>
  (await browser.get(`${singleSignOnPaths.begin}${query}`)).headers.get("location") ?? "";

/** Goes through the provider's pages. Returns the path and query to which the provider sends the browser back. */
async function throughProvider(authorize: string): Promise<string> {
  const there = visitor(provider.issuer);
  let next = authorize;
  for (let hop = 0; hop < 10 && !next.startsWith(publicUrl); hop += 1) {
    next = new URL((await there.get(next)).headers.get("location") ?? "", provider.issuer).href;
  }
  return next.slice(publicUrl.length);
}

async function signIn(browser: Visitor, change: (authorize: string) => string = (same) => same): Promise<Response> {
  return browser.get(await throughProvider(change(await begin(browser))));
}

const signedOut = async (browser: Visitor) => expect((await browser.get("/portal")).headers.get("location")).toContain("/portal/sign-in");

/** Checks that the browser is redirected to sign-in, which shows these words. */
async function refusedBecause(browser: Visitor, answer: Response, words: string): Promise<void> {
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/portal/sign-in"]);
  expect(await (await browser.get("/portal/sign-in")).text()).toContain(words);
  await signedOut(browser);
}

test("a member signs in by the provider, and gets the page that they asked for", async () => {
  const browser = visitor(url);
  const back = await throughProvider(await begin(browser, "?returnTo=/portal/settings/keys"));
  const done = await browser.get(back);
  expect([done.status, done.headers.get("location")]).toEqual([302, "/portal/settings/keys"]);
  expect(heading(await (await browser.get("/portal")).text())).toBe("Overview");
  expect(browser.cookies.has("waybill_sso")).toBe(false);
});

test("an invited member joins by single sign-on, and needs no password", async () => {
  const email = "sso-invited@example.com";
  await inviteMember(service.portal.members, { organisationId: organisation.id, email, role: "viewer" }, origin);
  provider.account = { email: email.toUpperCase(), email_verified: true };
  const browser = visitor(url);
  expect((await signIn(browser)).headers.get("location")).toBe("/portal");
  expect((await browser.get("/portal")).status).toBe(200);
  const [joined] = (await listMembers(organisation.id, service.pool)).filter((each) => each.email === email);
  expect(joined).toMatchObject({ status: "active", role: "viewer" });
});

describe("the invitation's link ends when the member joins by single sign-on", () => {
  async function joinedBySignOn(email: string) {
    const { token, memberId } = await inviteMember(
      service.portal.members,
      { organisationId: organisation.id, email, role: "viewer" },
      origin,
    );
    provider.account = { email, email_verified: true };
    expect((await signIn(visitor(url))).headers.get("location")).toBe("/portal");
    return { token, memberId };
  }

  async function expectVoid(token: string): Promise<void> {
    const finder = visitor(url);
    expect((await finder.get(`/portal/join/${token}`)).status).toBe(404);
    expect((await finder.post(`/portal/join/${token}`, { password }, { origin: publicUrl })).status).toBe(404);
    await signedOut(finder);
  }

  test("and sets no password afterwards", async () => {
    const { token, memberId } = await joinedBySignOn("sso-link@example.com");
    await expectVoid(token);
    const { rows } = await service.pool.query("select password_hash from members where member_id = $1", [memberId]);
    expect(rows).toEqual([{ password_hash: null }]);
  });

  test("also where the table still has the link, as an earlier version wrote it", async () => {
    const { token, memberId } = await joinedBySignOn("sso-earlier@example.com");
    await service.pool.query("update members set link_sha256 = $2, link_expires_at = now() + interval '1 hour' where member_id = $1", [
      memberId,
      hashToken(token),
    ]);
    await expectVoid(token);
  });

  test("and a link that an admin makes later works", async () => {
    const { memberId } = await joinedBySignOn("sso-later@example.com");
    const { token } = await makeLink(service.portal.members, { organisationId: organisation.id, member: memberId }, origin);
    expect((await visitor(url).post(`/portal/join/${token}`, { password }, { origin: publicUrl })).status).toBe(303);
  });
});

test("a member of two organisations is asked which", async () => {
  const other = await service.organisation();
  await addMember(service, other.id, "viewer", member.email);
  const browser = visitor(url);
  expect(heading(await (await signIn(browser)).text())).toBe("Which organisation?");
  await signedOut(browser);
  await removeMember(service.portal.members, { organisationId: organisation.id, member: member.email }, origin);
  expect((await signIn(browser)).headers.get("location")).toBe("/portal");
  member = await addMember(service, organisation.id, "operator", "operator-again@example.com");
});

test("a person invited by thirty organisations chooses one of them, and joins that one only", async () => {
  const email = "consultant@example.com";
  provider.account = { email, email_verified: true };
  const invite = async () => {
    const { id } = await service.organisation((file) => (file.organisation.name = `A client with a long name ${"& Sons ".repeat(20)}`));
    await inviteMember(service.portal.members, { organisationId: id, email, role: "viewer" }, origin);
    return id;
  };
  const ids = await Promise.all(Array.from({ length: 30 }, invite));
  const browser = visitor(url);
  const form = formsIn(await (await signIn(browser)).text()).find(({ action }) => action.endsWith("/organisation"));
  const done = await browser.post("/portal/sign-in/organisation", { ...form?.fields, organisation: ids[29] ?? "" }, { origin: publicUrl });
  expect([done.status, done.headers.get("location")]).toEqual([303, "/portal"]);
  const { rows } = await service.pool.query("select organisation_id as id from members where email = $1 and status = 'active'", [email]);
  expect(rows).toEqual([{ id: ids[29] }]);
});

describe("the sign-in is refused", () => {
  test("for a person who is no member", async () => {
    provider.account = { email: "stranger@example.com", email_verified: true };
    const browser = visitor(url);
    await refusedBecause(browser, await signIn(browser), "not a member of any organisation");
  });

  test("for an e-mail that the provider has not verified", async () => {
    provider.account = { email: member.email, email_verified: false };
    const browser = visitor(url);
    await refusedBecause(browser, await signIn(browser), "does not say that your email is verified");
  });

  test("with a state that was used already, even together with its cookie", async () => {
    const browser = visitor(url);
    const authorize = await begin(browser);
    const cookies = new Map(browser.cookies);
    const back = await throughProvider(authorize);
    expect((await browser.get(back)).headers.get("location")).toBe("/portal");
    const thief = visitor(url, new Map(cookies));
    await refusedBecause(thief, await thief.get(back), "did not finish");
    const other = visitor(await service.startAnotherApi(), new Map(cookies)); // this API has no provider configured
    expect((await other.get(back)).status).toBe(404);
  });

  test("with another browser's answer: no cookie, or the cookie of another sign-in", async () => {
    const back = await throughProvider(await begin(visitor(url)));
    const victim = visitor(url);
    await refusedBecause(victim, await victim.get(back), "did not finish");
    await begin(victim);
    await refusedBecause(victim, await victim.get(back), "did not finish");
  });

  test.each([
    ["a wrong nonce", "nonce"],
    ["a wrong code challenge", "code_challenge"],
  ])("with %s", async (_, name) => {
    const browser = visitor(url);
    const answer = await signIn(browser, (authorize) => {
      const changed = new URL(authorize);
      changed.searchParams.set(name, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
      return changed.href;
    });
    await refusedBecause(browser, answer, "did not finish");
  });

  test.each(["?error=access_denied", "?code=x", "?", `?code=${"x".repeat(5000)}`])("with %s in the address", async (query) => {
    const browser = visitor(url);
    const state = new URL(await begin(browser)).searchParams.get("state") ?? "";
    await refusedBecause(browser, await browser.get(`${singleSignOnPaths.finish}${query}&state=${state}`), "did not finish");
  });

  test("with a cookie that was changed, or that Waybill never made", async () => {
    for (const value of ["x", "x.y", `${"A".repeat(5000)}`, Buffer.from('{"value":1}').toString("base64url")]) {
      const browser = visitor(url, new Map([["waybill_sso", value]]));
      await refusedBecause(browser, await browser.get(`${singleSignOnPaths.finish}?code=x&state=x`), "did not finish");
    }
  });
});

test("a provider that does not answer is named on the page, and passwords still work", async () => {
  const singleSignOn = createSingleSignOn({ issuer: "http://127.0.0.1:9", clientId: "x", clientSecret: "x", redirectUri, logger });
  const deps = { ...service.deps, logger, portal: { ...service.portal, singleSignOn } };
  const api = await startApi({ deps, host: "127.0.0.1", port: 0, logger });
  try {
    const browser = visitor(`http://127.0.0.1:${api.port}`);
    await refusedBecause(browser, await browser.get(singleSignOnPaths.begin), "is not responding");
    const done = await browser.post("/portal/sign-in", { email: member.email, password });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/portal"]);
  } finally {
    await api.stop();
  }
});

test("no password, link, token, code or cookie has reached the log", async () => {
  const { token } = await inviteMember(
    service.portal.members,
    { organisationId: organisation.id, email: "logged@example.com", role: "viewer" },
    origin,
  );
  const browser = visitor(url);
  const back = await throughProvider(await begin(browser));
  const kept = browser.cookies.get("waybill_sso") ?? "";
  await browser.get(back);
  const secrets = [password, token, browser.cookies.get("waybill") ?? "", kept, new URL(back, url).searchParams.get("code") ?? "", "short"];
  for (const form of [{ password: "short" }, { password: "password1234" }, { password }])
    await visitor(url).post(`/portal/join/${token}`, form);
  await visitor(url).get(`/portal/join/${token}`);
  await visitor(url).post("/portal/sign-in", { email: "logged@example.com", password });
  expect(log).toContain("single sign-on failed"); // the log does have lines about single sign-on
  for (const secret of [...secrets, provider.clientSecret]) {
    expect(secret.length).toBeGreaterThan(4);
    expect(log.includes(secret), secret).toBe(false);
  }
});
