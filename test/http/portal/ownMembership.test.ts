// Members who remove themselves or change their own role, and the last admin.
import { afterAll, beforeAll, expect, test } from "vitest";
import { listMembers } from "../../../src/queries/organisations/organisations.js";
import { addMember, formToken, signedIn, type TestMember, type Visitor } from "../../support/portal/portal.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

const members = "/portal/settings/members";

/** An organisation with this many admins; `who` is signed in as the first of them. */
async function admins(count: number): Promise<{ id: string; first: TestMember; who: Visitor }> {
  const { id } = await service.organisation();
  const all: TestMember[] = [];
  for (let n = 0; n < count; n += 1) all.push(await addMember(service, id, "admin"));
  const first = all[0] as TestMember;
  return { id, first, who: await signedIn(service, first) };
}

async function post(who: Visitor, path: string, fields: Record<string, string> = {}) {
  const response = await who.post(path, { token: await formToken(who), ...fields });
  return { status: response.status, location: response.headers.get("location"), page: await response.text() };
}

const pageOf = async (who: Visitor, path: string) => (await who.get(path)).text();
const statusOf = async (id: string, { memberId }: TestMember) => {
  const found = (await listMembers(id, service.pool)).find((each) => each.memberId === memberId);
  return found && [found.status, found.role];
};

test("removing yourself is said before, signs you out, and the sign-in says what happened", async () => {
  const { id, first, who } = await admins(2);
  const question = await pageOf(who, `${members}?remove=${first.memberId}`);
  expect(question).toContain("Remove yourself?");
  expect(question).toContain("You are signed out everywhere at once");
  expect(await post(who, `${members}/${first.memberId}/remove`)).toMatchObject({ status: 303, location: "/portal/sign-in" });
  expect(who.cookies.has("waybill")).toBe(false);
  expect(await pageOf(who, "/portal/sign-in")).toContain("You have left");
  expect(await statusOf(id, first)).toEqual(["removed", "admin"]);
});

test("erasing yourself is said before and signs you out", async () => {
  const { id, first, who } = await admins(2);
  expect(await pageOf(who, `${members}?erase=${first.memberId}`)).toContain("Erase yourself?");
  expect(await post(who, `${members}/${first.memberId}/erase`)).toMatchObject({ status: 303, location: "/portal/sign-in" });
  expect(await pageOf(who, "/portal/sign-in")).toContain("You have been erased from");
  expect(await statusOf(id, first)).toBeUndefined();
});

test.each(["remove", "erase"])(
  "the last admin is told what to do instead of being asked, and a %s is refused with the same",
  async (what) => {
    const { id, first, who } = await admins(1);
    await addMember(service, id, "operator");
    const page = await pageOf(who, `${members}?${what}=${first.memberId}`);
    expect(page).toContain("You are the only admin");
    expect(page).toContain("Make another member who has joined an admin");
    expect(page).not.toContain(`action="${members}/${first.memberId}/${what}"`);
    const refused = await post(who, `${members}/${first.memberId}/${what}`);
    expect(refused.status).toBe(409);
    expect(refused.page).toContain("This is the organisation&#39;s last admin. Make another member an admin first");
    expect(await statusOf(id, first)).toEqual(["active", "admin"]);
    expect((await who.get(members)).status).toBe(200);
  },
);

test("an admin who is only invited does not make the last one replaceable", async () => {
  const { id, first, who } = await admins(1);
  await post(who, members, { email: `invited@${id}.example`, role: "admin", name: "" });
  expect(await pageOf(who, `${members}?remove=${first.memberId}`)).toContain("You are the only admin");
  expect((await post(who, `${members}/${first.memberId}/remove`)).status).toBe(409);
});

test("changing your own role is asked first, then signs you out; the role is the new one", async () => {
  const { id, first, who } = await admins(2);
  const role = `${members}/${first.memberId}/role`;
  const asked = await post(who, role, { role: "viewer" });
  expect(asked).toMatchObject({ status: 303, location: `${members}?change=${first.memberId}&to=viewer` });
  expect(await statusOf(id, first)).toEqual(["active", "admin"]);
  const question = await pageOf(who, asked.location ?? "");
  expect(question).toContain("Change your own role?");
  expect(question).toContain('name="sure" value="yes"');
  expect(await post(who, role, { role: "viewer", sure: "yes" })).toMatchObject({ status: 303, location: "/portal/sign-in" });
  expect(await pageOf(who, "/portal/sign-in")).toContain("Your role is now viewer. Sign in again.");
  expect(await statusOf(id, first)).toEqual(["active", "viewer"]);
});

test("the last admin's own role is refused at once, and the same role or no role asks nothing", async () => {
  const { id, first, who } = await admins(1);
  const role = `${members}/${first.memberId}/role`;
  for (const sure of ["", "yes"]) {
    const refused = await post(who, role, { role: "operator", sure });
    expect(refused.status).toBe(409);
    expect(refused.page).toContain("Make another member an admin first");
  }
  expect(await post(who, role, { role: "admin" })).toMatchObject({ status: 303, location: members });
  expect((await post(who, role, { role: "captain" })).status).toBe(400);
  expect(await statusOf(id, first)).toEqual(["active", "admin"]);
  // An address that asks for it shows no question either.
  for (const to of ["admin", "captain", ""])
    expect(await pageOf(who, `${members}?change=${first.memberId}&to=${to}`)).not.toContain("Change your own role?");
});

test("another member is removed, and their role changed, as before: without more questions, and nobody else is signed out", async () => {
  const { id, who } = await admins(1);
  const other = await addMember(service, id, "operator");
  expect(await post(who, `${members}/${other.memberId}/role`, { role: "viewer" })).toMatchObject({ status: 303, location: members });
  expect(await post(who, `${members}/${other.memberId}/remove`)).toMatchObject({ status: 303, location: members });
  expect((await who.get(members)).status).toBe(200);
});
