import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSession } from "../../../src/commands/members/joinOrganisation.js";
import { inviteMember } from "../../../src/commands/members/manageMembers.js";
import { membersWithEmail } from "../../../src/queries/lookUps/members.js";
import { addMember, formToken, heading, password, signedIn, type TestMember, type Visitor, visitor } from "../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

let service: TestService;
let organisation: TestOrganisation;
beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  await addMember(service, organisation.id, "admin");
});
afterAll(() => service?.close());

const account = "/portal/account";
const firefox = { "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0" };

async function post(who: Visitor, path: string, fields: Record<string, string> = {}) {
  const response = await who.post(path, { token: await formToken(who), ...fields });
  return { status: response.status, location: response.headers.get("location"), page: await response.text(), headers: response.headers };
}

const pageOf = async (who: Visitor, path = account) => (await who.get(path)).text();
const isSignedIn = async (who: Visitor) => (await who.get(account)).status === 200;

async function signInAs({ email }: TestMember, given = password): Promise<Visitor> {
  const who = visitor(service.url);
  expect((await who.post("/portal/sign-in", { email, password: given }, firefox)).status).toBe(303);
  return who;
}

/** What the page says above everything else, or at the field that it is about. */
const noticeIn = (page: string) => /class="(?:notice \w+|field-fault)"[^>]*>(?:<p>)?([^<]*)</.exec(page)?.[1];

describe.each(["admin", "operator", "viewer"] as const)("as %s", (role) => {
  test("the account page is reached from every page and has the e-mail, the role and this browser", async () => {
    const member = await addMember(service, organisation.id, role);
    const who = await signInAs(member);
    expect(await pageOf(who, "/portal/imports")).toContain('href="/portal/account"');
    const page = await pageOf(who);
    expect(heading(page)).toBe("Account");
    expect(page).toContain(`<dd>${member.email}</dd>`);
    expect(page).toContain(`<dd>${role}</dd>`);
    expect(page).toMatch(/Firefox on Windows <span class="badge good">This one<\/span>/);
    expect(page).not.toContain("Mozilla");
  });
});

test("a new name is shown in the menu and to admins; a name that is none is refused and stays in the form", async () => {
  const who = await signedIn(service, await addMember(service, organisation.id, "viewer"));
  expect(await post(who, `${account}/name`, { name: "Ada <Lovelace>" })).toMatchObject({ status: 303, location: account });
  const page = await pageOf(who);
  expect(noticeIn(page)).toBe("Name changed to Ada &lt;Lovelace&gt;.");
  expect(page).toMatch(/class="who">Ada &lt;Lovelace&gt;/);
  const admin = await signedIn(service, await addMember(service, organisation.id, "admin"));
  expect(await pageOf(admin, "/portal/settings/members")).toContain("Ada &lt;Lovelace&gt;");
  const refused = await post(who, `${account}/name`, { name: "x".repeat(201) });
  expect([refused.status, noticeIn(refused.page)]).toEqual([400, "A name has at most 200 characters, and none that cannot be seen"]);
  expect(refused.page).toContain(`value="${"x".repeat(201)}"`);
  expect((await post(who, `${account}/name`, { name: " " })).status).toBe(400);
});

test("a changed password keeps this browser signed in with a new cookie, and ends every other session and copy of the cookie", async () => {
  const member = await addMember(service, organisation.id, "operator");
  const [who, other] = [await signInAs(member), await signInAs(member)];
  const thief = visitor(service.url, new Map(who.cookies));
  const given = { currentPassword: password, password: "nine quiet warehouses" };
  expect(await post(who, `${account}/password`, given)).toMatchObject({ status: 303, location: account });
  const page = await pageOf(who);
  expect(noticeIn(page)).toBe("Password changed. You are signed out everywhere else.");
  expect(page.match(/\/sign-out"/g)).toHaveLength(3); // the menu, wide and narrow, and one session
  expect([await isSignedIn(other), await isSignedIn(thief)]).toEqual([false, false]);
  expect((await visitor(service.url).post("/portal/sign-in", { email: member.email, password })).status).toBe(401);
  await signInAs(member, "nine quiet warehouses");
});

test("a wrong current password is said, repeats no password, and is slowed down like a sign-in", async () => {
  const who = await signedIn(service, await addMember(service, organisation.id, "viewer"));
  const given = { currentPassword: "wrong wrong wrong", password: "nine quiet warehouses" };
  for (let n = 1; n <= 5; n += 1) {
    const wrong = await post(who, `${account}/password`, given);
    expect([wrong.status, noticeIn(wrong.page)]).toEqual([400, "The current password is wrong"]);
    expect(wrong.page).not.toMatch(/wrong wrong|warehouses/);
    expect(wrong.page).toMatch(/name="currentPassword"[^>]* aria-invalid="true" autofocus/);
  }
  const slowed = await post(who, `${account}/password`, { ...given, currentPassword: password });
  expect([slowed.status, noticeIn(slowed.page)]).toEqual([429, expect.stringMatching(/^Too many attempts. Try again in \d+ seconds?.$/)]);
  expect(Number(slowed.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(heading(slowed.page)).toBe("Account");
  expect(await isSignedIn(who)).toBe(true);
});

test("a new password that joining would refuse is refused with the same sentence", async () => {
  const who = await signedIn(service, await addMember(service, organisation.id, "viewer"));
  const refused = await post(who, `${account}/password`, { currentPassword: password, password: "elevenchars" });
  expect([refused.status, noticeIn(refused.page)]).toEqual([400, expect.stringContaining("at least 12 characters")]);
  expect((await post(who, `${account}/password`)).status).toBe(400);
});

test("one session is signed out by itself; this one leads to the sign-in, which says so", async () => {
  const member = await addMember(service, organisation.id, "viewer");
  const [who, other] = [await signInAs(member), await signedIn(service, member)];
  const addresses = async () => [...(await pageOf(who)).matchAll(/action="([^"]+\/sessions\/[^"]+)"/g)].map(([, address]) => address ?? "");
  const [own = "", others = ""] = await addresses();
  expect(await pageOf(who)).toContain("Unknown browser");
  expect(await post(who, others)).toMatchObject({ status: 303, location: account });
  expect([await isSignedIn(other), await isSignedIn(who)]).toEqual([false, true]);
  expect(await addresses()).toEqual([own]);
  const again = await post(who, others);
  expect([again.status, noticeIn(again.page)]).toEqual([404, "This browser is already signed out"]);
  expect(await post(who, own)).toMatchObject({ status: 303, location: "/portal/sign-in" });
  expect(who.cookies.has("waybill")).toBe(false);
  expect(noticeIn(await pageOf(who, "/portal/sign-in"))).toBe("You are signed out.");
});

test("a session of another member of the same organisation cannot be signed out", async () => {
  const [victim, who] = [
    await signedIn(service, await addMember(service, organisation.id, "viewer")),
    await signedIn(service, await addMember(service, organisation.id, "admin")),
  ];
  const address = /action="([^"]+\/sessions\/[^"]+)"/.exec(await pageOf(victim))?.[1] ?? "";
  expect((await post(who, address)).status).toBe(404);
  expect(await isSignedIn(victim)).toBe(true);
});

test("signing out everywhere asks first, ends all sessions and says so at the sign-in", async () => {
  const member = await addMember(service, organisation.id, "viewer");
  const [who, other] = [await signInAs(member), await signInAs(member)];
  expect(await pageOf(who, `${account}?ask=everywhere`)).toContain("Sign out everywhere?");
  expect(await post(who, `${account}/sign-out-everywhere`)).toMatchObject({ status: 303, location: "/portal/sign-in" });
  expect([await isSignedIn(who), await isSignedIn(other)]).toEqual([false, false]);
  expect(noticeIn(await pageOf(who, "/portal/sign-in"))).toBe("You are signed out everywhere.");
});

test("a member without a password is told how they sign in, and the form is refused", async () => {
  const { members } = service.portal;
  const email = `provider@${organisation.id}.example`;
  const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
  await inviteMember(members, { organisationId: organisation.id, email, role: "viewer" }, origin);
  const [vouched] = await membersWithEmail(email, service.pool);
  if (!vouched) throw new Error("not invited");
  const token = await startSession(members, vouched, { oldToken: undefined, correlationId: "test" });
  const who = visitor(service.url, new Map([["waybill", token ?? ""]]));
  const page = await pageOf(who);
  expect(page).toContain("You sign in with single sign-on and have no password here.");
  expect(page).not.toContain("Current password");
  expect((await post(who, `${account}/password`, { currentPassword: "x", password: "nine quiet warehouses" })).status).toBe(409);
});

test("the join page says the e-mail to sign in with, as the user name for password managers", async () => {
  const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
  const email = `invited@${organisation.id}.example`;
  const { token } = await inviteMember(
    service.portal.members,
    { organisationId: organisation.id, email, role: "viewer", name: "Ines" },
    origin,
  );
  const page = await pageOf(visitor(service.url), `/portal/join/${token}`);
  const field = /<input[^>]*name="username"[^>]*>/.exec(page)?.[0];
  expect(field).toContain(`value="${email}"`);
  expect(field).toContain('autocomplete="username"');
  expect(field).toContain("readonly");
  expect(page).toContain("You sign in with this email.");
});
