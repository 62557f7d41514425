// A person whose e-mail is in several organisations chooses one after the password or the identity provider.
import { afterAll, beforeAll, expect, test } from "vitest";
import { joinByLink } from "../../../src/commands/members/joinOrganisation.js";
import { changeRole, inviteMember } from "../../../src/commands/members/manageMembers.js";
import { hashToken } from "../../../src/domain/members.js";
import { sealValue } from "../../../src/http/portal/sessions/cookies.js";
import { addMember, formToken, heading, password, type TestMember, type Visitor, visitor } from "../../support/portal/portal.js";
import { formsIn } from "../../support/portal/renderedForms.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

const email = "ada@everywhere.example";
const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
let service: TestService;
let first: TestOrganisation;
let second: TestOrganisation;
let inSecond: TestMember;
beforeAll(async () => {
  service = await startTestService();
  [first, second] = [await service.organisation(), await service.organisation((file) => (file.organisation.name = "Second & Sons"))];
  await addMember(service, first.id, "admin", email);
  await addMember(service, second.id, "admin");
  inSecond = await addMember(service, second.id, "viewer", email);
});
afterAll(() => service?.close());

/** Signs in. Returns the page that asks for the organisation, and the fields of its form. */
async function asked(who: Visitor, next = "/portal"): Promise<{ page: string; fields: Record<string, string> }> {
  const response = await who.post("/portal/sign-in", { email, password, next });
  const page = await response.text();
  expect([response.status, heading(page)]).toEqual([200, "Which organisation?"]);
  const form = formsIn(page).find(({ action }) => action === "/portal/sign-in/organisation");
  return { page, fields: { ...form?.fields } };
}

const choose = (who: Visitor, fields: Record<string, string>, organisation: string) =>
  who.post("/portal/sign-in/organisation", { ...fields, organisation });

const organisationShown = async (who: Visitor) => /class="organisation">([^<]*)</.exec(await (await who.get("/portal")).text())?.[1];

test("the person chooses an organisation, and gets the page that they asked for", async () => {
  const who = visitor(service.url);
  const { page, fields } = await asked(who, "/portal/settings/keys");
  expect(page).toContain("Second &amp; Sons");
  expect(page).not.toContain(password);
  expect(who.cookies.has("waybill")).toBe(false); // there is no session yet
  const done = await choose(who, fields, second.id);
  expect([done.status, done.headers.get("location")]).toEqual([303, "/portal/settings/keys"]);
  expect(await organisationShown(who)).toBe("Second &amp; Sons");
});

test("a choice is taken once, also after the sign-out and at another process", async () => {
  const who = visitor(service.url);
  const { fields } = await asked(who);
  const cookies = new Map(who.cookies);
  expect((await choose(who, fields, second.id)).status).toBe(303);
  await who.post("/portal/sign-out", { token: await formToken(who) });
  for (const again of [who, visitor(service.url, new Map(cookies)), visitor(await service.startAnotherApi(), new Map(cookies))]) {
    const response = await choose(again, fields, first.id);
    expect([response.status, heading(await response.text()), again.cookies.has("waybill")]).toEqual([401, "Sign in", false]);
  }
});

test("a choice is taken from the browser that signed in, and its cookie is HttpOnly", async () => {
  const who = visitor(service.url);
  const { fields } = await asked(who);
  const other = visitor(service.url);
  await asked(other); // has a choice of its own
  for (const thief of [visitor(service.url), other]) {
    const response = await choose(thief, fields, second.id);
    expect([response.status, thief.cookies.has("waybill")]).toEqual([401, false]);
  }
  expect((await choose(who, fields, second.id)).status).toBe(303);
  const signIn = await visitor(service.url).post("/portal/sign-in", { email, password });
  expect(signIn.headers.getSetCookie().find((each) => each.startsWith("waybill_choice="))).toMatch(/; HttpOnly; SameSite=Lax$/);
});

test("only a verified organisation can be chosen, and only for a few minutes", async () => {
  const other = await service.organisation();
  const browser = visitor(service.url);
  const { fields } = await asked(browser);
  const { choice = "" } = fields;
  const member = { memberId: inSecond.memberId, organisationId: second.id, credentialsRevision: "2" };
  const value = { way: "password", browserSha256: hashToken(browser.cookies.get("waybill_choice") ?? ""), members: [member] };
  const [past, soon] = [new Date(Date.now() - 1), new Date(Date.now() + 60_000)];
  const refused: [Record<string, string>, string][] = [
    [fields, other.id],
    [fields, "nobody"],
    [{ ...fields, choice: `${choice}x` }, second.id],
    [{ ...fields, choice: choice.slice(5) }, second.id],
    [{ ...fields, choice: "" }, second.id],
    [{ ...fields, choice: sealValue("a secret of somebody else, for sure", "choice", value, soon) }, second.id],
    [{ ...fields, choice: sealValue(service.deps.signingSecret, "choice", value, past) }, second.id],
  ];
  for (const [sent, organisation] of refused) {
    const response = await choose(browser, sent, organisation);
    expect([response.status, heading(await response.text())]).toEqual([401, "Sign in"]);
    expect(browser.cookies.has("waybill")).toBe(false);
  }
});

test("a membership that changed meanwhile cannot be chosen", async () => {
  const who = visitor(service.url);
  const { fields } = await asked(who);
  await changeRole(service.portal.members, { organisationId: second.id, member: email, role: "operator" }, origin);
  const response = await choose(who, fields, second.id);
  expect([response.status, who.cookies.has("waybill")]).toEqual([409, false]);
  expect(await response.text()).toContain("Your membership has just changed");
});

test("an organisation with another password is not offered", async () => {
  const [third, fourth] = [await service.organisation(), await service.organisation()];
  await addMember(service, third.id, "admin", email);
  const { members } = service.portal;
  const { token } = await inviteMember(members, { organisationId: fourth.id, email, role: "admin" }, origin);
  await joinByLink(members, { token, password: "quite another password" }, "test");
  const { page } = await asked(visitor(service.url));
  expect([page.includes(third.id), page.includes(fourth.id)]).toEqual([true, false]);
});
