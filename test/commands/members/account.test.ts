import { afterAll, beforeAll, expect, test } from "vitest";
import { startSession } from "../../../src/commands/members/joinOrganisation.js";
import { changeRole, inviteMember, makeLink } from "../../../src/commands/members/manageMembers.js";
import { changePassword, type PasswordChange, renameMember } from "../../../src/commands/members/ownAccount.js";
import {
  endOwnSession,
  endOwnSessions,
  findSession,
  listSessions,
  openSession,
  type Session,
} from "../../../src/commands/members/sessions.js";
import { createPasswordCheck } from "../../../src/commands/members/signIn.js";
import { hashToken, maxNameLength } from "../../../src/domain/members.js";
import { memberOfLink, membersWithEmail } from "../../../src/queries/lookUps/members.js";
import { listMembers } from "../../../src/queries/organisations/organisations.js";
import { origin } from "../support.js";
import { elsewhere, type SignInStage, signingSecret, startSignInStage } from "./signInStage.js";
import { goodPassword } from "./support.js";

let stage: SignInStage;
let checkPassword: ReturnType<typeof createPasswordCheck>;
beforeAll(async () => {
  stage = await startSignInStage();
  checkPassword = createPasswordCheck({ ...stage.members, signingSecret });
});
afterAll(() => stage?.close());

const newPassword = "nine quiet warehouses";

async function signedIn(email: string, password = goodPassword, browser?: string): Promise<string> {
  const answer = await stage.attempt(email, password);
  if (answer.kind !== "verified") throw new Error(answer.kind);
  return (await openSession(stage.database.pool, answer.members[0], undefined, browser)) as string;
}

const session = (token: string | undefined) => findSession(stage.database.pool, token);
const personOf = async (token: string) => (await session(token)) as Session;

const change = (person: Session, parts: Partial<PasswordChange> = {}) =>
  changePassword(
    { ...stage.members, checkPassword },
    person,
    {
      currentPassword: goodPassword,
      newPassword,
      address: elsewhere(),
      knownBrowser: undefined,
      browserName: "Firefox on Linux",
      ...parts,
    },
    "test",
  );

test("a member's new name is shown at once; their sessions go on", async () => {
  const { organisationId, email, memberId } = await stage.team("name");
  const token = await signedIn(email);
  await renameMember(stage.members, await personOf(token), "  Ada Lovelace ", "test");
  expect(await session(token)).toMatchObject({ name: "Ada Lovelace" });
  const listed = (await listMembers(organisationId, stage.database.pool)).find((each) => each.memberId === memberId);
  expect(listed?.name).toBe("Ada Lovelace");
});

test.each([
  ["nothing", " ", false],
  ["as long as a name may be", "x".repeat(maxNameLength), true],
  ["one character shorter", "x".repeat(maxNameLength - 1), true],
  ["one character longer", "x".repeat(maxNameLength + 1), false],
  ["a line break", "Ada\nLovelace", false],
  ["text that turns its neighbours around", "Ada\u202Eevol", false],
  ["nothing that can be seen", "\u200B\u2060", false],
  ["another script", "艾达 ・ آدا", true],
])("a name that is %s is taken or refused", async (what, name, isTaken) => {
  const { email } = await stage.team(`name-${what.replaceAll(" ", "-")}`);
  const renaming = renameMember(stage.members, await personOf(await signedIn(email)), name, "test");
  if (isTaken) expect(await renaming).toBe(name);
  else await expect(renaming).rejects.toMatchObject({ code: "invalid" });
});

test("a new password counts at once; the other sessions end, and this browser gets a new one in place of its own", async () => {
  const { email } = await stage.team("pass");
  const [own, other] = [await signedIn(email), await signedIn(email)];
  const bystander = await signedIn(`boss-${email}`);
  const changed = await change(await personOf(own));
  if (changed.kind !== "changed") throw new Error(changed.kind);
  expect(await session(changed.token)).toMatchObject({ email });
  expect([await session(own), await session(other)]).toEqual([undefined, undefined]);
  expect(await session(bystander)).toBeDefined();
  expect((await stage.attempt(email, goodPassword)).kind).toBe("refused");
  expect((await stage.attempt(email, newPassword)).kind).toBe("verified");
});

test("a wrong current password changes nothing and ends no session", async () => {
  const { email } = await stage.team("wrong");
  const token = await signedIn(email);
  expect(await change(await personOf(token), { currentPassword: "not the password" })).toEqual({ kind: "wrong" });
  expect(await session(token)).toBeDefined();
  expect((await stage.attempt(email)).kind).toBe("verified");
});

test("the password of the same person in another organisation is a wrong one, and stays when this one changes", async () => {
  const { email, memberId } = await stage.team("two");
  const elsewhereToo = await stage.organisation();
  await stage.join(elsewhereToo, email, "admin", "eight other harbours");
  const answer = await stage.attempt(email);
  if (answer.kind !== "verified") throw new Error(answer.kind);
  const token = (await openSession(stage.database.pool, answer.members[0], undefined)) as string;
  const person = await personOf(token);
  expect(person.memberId).toBe(memberId);
  expect(await change(person, { currentPassword: "eight other harbours" })).toEqual({ kind: "wrong" });
  expect((await change(person)).kind).toBe("changed");
  expect((await stage.attempt(email, "eight other harbours")).kind).toBe("verified");
});

test("after five wrong current passwords the next one waits, also at the sign-in from the same address", async () => {
  const { email } = await stage.team("paced");
  const person = await personOf(await signedIn(email));
  const address = "203.0.113.77";
  for (let n = 1; n <= 5; n += 1) expect((await change(person, { currentPassword: `wrong ${n}`, address })).kind).toBe("wrong");
  expect((await change(person, { address })).kind).toBe("wait");
  expect((await stage.attempt(email, goodPassword, address)).kind).toBe("wait");
  expect((await change(person)).kind).toBe("changed");
});

test.each([
  ["is too short", "elevenchars"],
  ["is the e-mail", "faults@example.com"],
  ["is common", "password1234"],
  ["is the current one", goodPassword],
])("a new password that %s is refused before the current one is looked at", async (what, password) => {
  const { email } = await stage.team(what === "is the e-mail" ? "faults" : `fault-${what.replaceAll(" ", "-")}`);
  const person = await personOf(await signedIn(email));
  stage.verifications = 0;
  const counted = (...given: Parameters<typeof checkPassword>) => {
    stage.verifications += 1;
    return checkPassword(...given);
  };
  const changing = changePassword(
    { ...stage.members, checkPassword: counted },
    person,
    { currentPassword: goodPassword, newPassword: password, address: elsewhere(), knownBrowser: undefined, browserName: "" },
    "test",
  );
  await expect(changing).rejects.toMatchObject({ code: "invalid" });
  expect(stage.verifications).toBe(0);
});

test("of two changes of one password at the same time one counts", async () => {
  const { email } = await stage.team("race");
  const people = [await personOf(await signedIn(email)), await personOf(await signedIn(email))];
  const tries = await Promise.allSettled(people.map((person, n) => change(person, { newPassword: `${newPassword} ${n}` })));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(tries.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "conflict" } });
});

test("a changed password makes a sign-in link void that was made before", async () => {
  const { organisationId, email } = await stage.team("link");
  const { token } = await makeLink(stage.members, { organisationId, member: email }, origin);
  await change(await personOf(await signedIn(email)));
  expect(await memberOfLink(hashToken(token), stage.database.pool)).toBeUndefined();
});

test("a member who joined by single sign-on has no password to change", async () => {
  const { organisationId } = await stage.team("sso");
  const email = "by-provider@example.com";
  await inviteMember(stage.members, { organisationId, email, role: "viewer" }, origin);
  const [vouched] = await membersWithEmail(email, stage.database.pool);
  if (!vouched) throw new Error("not invited");
  const token = await startSession(stage.members, vouched, { oldToken: undefined, correlationId: "test" });
  await expect(change((await session(token)) as Session)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("single sign-on"),
  });
});

test("the list has the member's valid sessions only, with what is known of their browsers", async () => {
  const { organisationId, email, memberId } = await stage.team("list");
  const [own, other, idle] = [await signedIn(email, goodPassword, "Firefox on Windows"), await signedIn(email), await signedIn(email)];
  await signedIn(`boss-${email}`);
  await stage.database.pool.query("update sessions set last_seen_at = now() - interval '12 hours 1 minute' where token_sha256 = $1", [
    hashToken(idle),
  ]);
  const listed = await listSessions(stage.database.pool, { organisationId, memberId });
  const ids = [(await personOf(own)).sessionId, (await personOf(other)).sessionId];
  expect(new Map(listed.map(({ sessionId, browser }) => [sessionId, browser]))).toEqual(
    new Map([
      [ids[0], "Firefox on Windows"],
      [ids[1], null],
    ]),
  );
  expect(await listSessions(stage.database.pool, { organisationId: await stage.organisation(), memberId })).toEqual([]);
  await changeRole(stage.members, { organisationId, member: email, role: "viewer" }, origin);
  expect(await listSessions(stage.database.pool, { organisationId, memberId })).toEqual([]);
});

test("a session is ended by its own member only, and a session that has ended is said to have", async () => {
  const { email } = await stage.team("one");
  const [own, other] = [await signedIn(email), await signedIn(email)];
  const boss = await personOf(await signedIn(`boss-${email}`));
  const { sessionId } = await personOf(other);
  const { pool } = stage.database;
  for (const id of [sessionId, "nonsense", "' or 1=1 --"])
    await expect(endOwnSession(pool, boss, id)).rejects.toMatchObject({ code: "notFound" });
  expect(await session(other)).toBeDefined();
  const person = await personOf(own);
  await endOwnSession(pool, person, sessionId);
  expect([await session(other), (await session(own)) !== undefined]).toEqual([undefined, true]);
  await expect(endOwnSession(pool, person, sessionId)).rejects.toMatchObject({ code: "notFound" });
});

test("signing out everywhere ends all sessions of the member and nobody else's", async () => {
  const { email } = await stage.team("all");
  const tokens = [await signedIn(email), await signedIn(email)];
  const boss = await signedIn(`boss-${email}`);
  await endOwnSessions(stage.database.pool, await personOf(tokens[0] as string));
  expect(await Promise.all(tokens.map(session))).toEqual([undefined, undefined]);
  expect(await session(boss)).toBeDefined();
});

test("a session that the version before has written is valid, listed without a browser, and can be ended", async () => {
  const { organisationId, email, memberId } = await stage.team("before");
  const { pool } = stage.database;
  const token = "b".repeat(43);
  await pool.query(
    "insert into sessions (token_sha256, member_id, credentials_revision) select $1, member_id, credentials_revision from members where member_id = $2",
    [hashToken(token), memberId],
  );
  const person = await personOf(token);
  expect(person).toMatchObject({ email });
  expect(await listSessions(pool, { organisationId, memberId })).toMatchObject([{ sessionId: person.sessionId, browser: null }]);
  await endOwnSession(pool, person, person.sessionId);
  expect(await session(token)).toBeUndefined();
});
