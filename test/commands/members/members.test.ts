import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findLink, joinByLink } from "../../../src/commands/members/joinOrganisation.js";
import { changeRole, eraseMember, inviteMember, makeLink, removeMember } from "../../../src/commands/members/manageMembers.js";
import { hashToken } from "../../../src/domain/members.js";
import { streamOf } from "../../../src/events/streams.js";
import { listMembers } from "../../../src/queries/organisations/organisations.js";
import { origin } from "../support.js";
import { goodPassword, type MemberStage, startMemberStage } from "./support.js";

let stage: MemberStage;
beforeAll(async () => {
  stage = await startMemberStage();
});
afterAll(() => stage?.close());

const invite = (organisationId: string, email: string, role = "viewer") =>
  inviteMember(stage.members, { organisationId, email, role, name: " Ada " }, origin);
const listed = async (organisationId: string, email: string) =>
  (await listMembers(organisationId, stage.database.pool)).find((member) => member.email === email);

async function written(memberId: string): Promise<string> {
  let text = "";
  for await (const event of stage.events.read(streamOf.member(memberId))) text += JSON.stringify([event.type, event.data, event.metadata]);
  return text;
}

test("an invited member joins by the link, once, and the stream holds neither the link's token nor the password", async () => {
  const organisationId = await stage.organisation();
  const { token, memberId } = await invite(organisationId, "Ada@Example.com");
  expect(await listed(organisationId, "Ada@Example.com")).toMatchObject({ memberId, name: "Ada", role: "viewer", status: "invited" });
  expect(await findLink(stage.members, token)).toMatchObject({ memberId, organisationId, hasJoined: false });
  await joinByLink(stage.members, { token, password: goodPassword }, "test");
  expect(await listed(organisationId, "Ada@Example.com")).toMatchObject({ status: "active", linkExpiresAt: null });
  await expect(joinByLink(stage.members, { token, password: goodPassword }, "test")).rejects.toMatchObject({ code: "notFound" });
  const text = await written(memberId);
  expect(text).toContain(hashToken(token));
  expect(text).toContain("$argon2id$");
  expect(text).not.toContain(token);
  expect(text).not.toContain(goodPassword);
});

test("when one link is used twice at the same moment, one of the two attempts succeeds", async () => {
  const { token } = await invite(await stage.organisation(), "both@example.com");
  const tries = await Promise.allSettled([1, 2].map((n) => joinByLink(stage.members, { token, password: `${goodPassword} ${n}` }, "test")));
  expect(tries.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a link is not valid after 72 hours, nor after a new one was made", async () => {
  const organisationId = await stage.organisation();
  const first = await invite(organisationId, "late@example.com");
  const second = await makeLink(stage.members, { organisationId, member: "LATE@example.com" }, origin);
  expect(await findLink(stage.members, first.token)).toBeUndefined();
  expect(second.expiresAt.getTime() - Date.now()).toBeGreaterThan(71.9 * 3_600_000);
  const long = new Date(Date.now() - 72 * 3_600_000 - 1000);
  const earlier = { ...stage.members, now: async () => long };
  const expired = await makeLink(earlier, { organisationId, member: "late@example.com" }, origin);
  expect(await findLink(stage.members, expired.token)).toBeUndefined();
  await expect(joinByLink(stage.members, { token: expired.token, password: goodPassword }, "test")).rejects.toMatchObject({
    code: "notFound",
  });
});

test("an e-mail is one member of an organisation, however it is spelt and however many invite it at once", async () => {
  const organisationId = await stage.organisation();
  const emails = ["Same@example.com", "same@example.com", "SAME@EXAMPLE.COM", " same@example.com "];
  const tries = await Promise.allSettled(emails.map((email) => invite(organisationId, email)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const each of tries) if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "conflict" });
  expect(await listMembers(organisationId, stage.database.pool)).toHaveLength(1);
});

test("an invitation whose process died before it wrote the table row makes the next invitation a conflict", async () => {
  const organisationId = await stage.organisation();
  const dies = { ...stage.members, project: () => Promise.reject(new Error("killed")) };
  await expect(inviteMember(dies, { organisationId, email: "half@example.com", role: "viewer" }, origin)).rejects.toThrow("killed");
  expect(await listed(organisationId, "half@example.com")).toBeUndefined();
  await expect(invite(organisationId, "half@example.com")).rejects.toMatchObject({ code: "conflict" });
});

test.each([
  ["no e-mail", { email: "ada" }],
  ["an e-mail with a line break", { email: "ada@example.com\nx" }],
  ["an unknown role", { role: "owner" }],
  ["a name of 201 characters", { name: "x".repeat(201) }],
])("an invitation with %s is refused", async (_, change) => {
  const invitation = { organisationId: "any", email: "ada@example.com", role: "viewer", ...change };
  await expect(inviteMember(stage.members, invitation, origin)).rejects.toMatchObject({ name: "Rejection", code: "invalid" });
});

test("an invitation to an organisation that does not exist is rejected", async () => {
  await expect(invite("nowhere", "ada@example.com")).rejects.toMatchObject({ code: "notFound" });
});

test("a removed member can be invited again, under the same id", async () => {
  const organisationId = await stage.organisation();
  await stage.join(organisationId, "boss@example.com");
  const memberId = await stage.join(organisationId, "back@example.com", "operator");
  await removeMember(stage.members, { organisationId, member: "back@example.com" }, origin);
  expect(await listed(organisationId, "back@example.com")).toMatchObject({ status: "removed" });
  const again = await invite(organisationId, "back@example.com");
  expect(again.memberId).toBe(memberId);
  expect(await listed(organisationId, "back@example.com")).toMatchObject({ status: "invited", role: "viewer", joinedAt: null });
});

describe("an organisation keeps its last admin", () => {
  const last = { code: "conflict", message: expect.stringContaining("last admin") };

  test("when it would be removed, demoted or erased", async () => {
    const organisationId = await stage.organisation();
    await stage.join(organisationId, "only@example.com");
    await invite(organisationId, "invited@example.com", "admin"); // has not joined
    const only = { organisationId, member: "only@example.com" };
    await expect(removeMember(stage.members, only, origin)).rejects.toMatchObject(last);
    await expect(changeRole(stage.members, { ...only, role: "operator" }, origin)).rejects.toMatchObject(last);
    await expect(eraseMember(stage.members, only, origin)).rejects.toMatchObject(last);
    await stage.join(organisationId, "second@example.com");
    await changeRole(stage.members, { ...only, role: "operator" }, origin);
    expect(await listed(organisationId, "only@example.com")).toMatchObject({ role: "operator" });
  });

  test.each([
    ["remove each other", removeMember, removeMember],
    ["demote and erase each other", (deps, who, by) => changeRole(deps, { ...who, role: "viewer" }, by), eraseMember],
  ] as [string, typeof removeMember, typeof removeMember][])("when two %s at the same moment", async (_, one, other) => {
    for (let round = 0; round < 5; round += 1) {
      const organisationId = await stage.organisation();
      await stage.join(organisationId, "a@example.com");
      await stage.join(organisationId, "b@example.com");
      const tries = await Promise.allSettled([
        one(stage.members, { organisationId, member: "a@example.com" }, origin),
        other(stage.members, { organisationId, member: "b@example.com" }, origin),
      ]);
      expect(tries.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const left = (await listMembers(organisationId, stage.database.pool)).filter(
        ({ role, status }) => role === "admin" && status === "active",
      );
      expect(left).toHaveLength(1);
    }
  });

  test("also when a removal's process died before the row was written", async () => {
    const organisationId = await stage.organisation();
    await stage.join(organisationId, "a@example.com");
    await stage.join(organisationId, "b@example.com");
    const dies = { ...stage.members, project: () => Promise.reject(new Error("killed")) };
    await expect(removeMember(dies, { organisationId, member: "a@example.com" }, origin)).rejects.toThrow("killed");
    expect(await listed(organisationId, "a@example.com")).toMatchObject({ status: "active" }); // the table row does not show the removal yet
    await expect(removeMember(stage.members, { organisationId, member: "b@example.com" }, origin)).rejects.toMatchObject(last);
  });

  test("and one whose erasure was interrupted after the stream was deleted does not count as left", async () => {
    const organisationId = await stage.organisation();
    const memberId = await stage.join(organisationId, "a@example.com");
    await stage.join(organisationId, "b@example.com");
    await stage.events.deleteStream(streamOf.member(memberId));
    expect(await listed(organisationId, "a@example.com")).toMatchObject({ role: "admin", status: "active" });
    await expect(removeMember(stage.members, { organisationId, member: "b@example.com" }, origin)).rejects.toMatchObject(last);
  });
});

describe("an erased member", () => {
  test("is in no stream and no table, and the e-mail can be invited again as a new member", async () => {
    const organisationId = await stage.organisation();
    await stage.join(organisationId, "boss@example.com");
    const memberId = await stage.join(organisationId, "gone@example.com", "viewer");
    await eraseMember(stage.members, { organisationId, member: "gone@example.com" }, origin);
    await expect(written(memberId)).rejects.toMatchObject({ name: "StreamDeleted" });
    const { pool } = stage.database;
    const { rows: tables } = await pool.query<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'");
    for (const { name } of tables) {
      const { rows } = await pool.query(`select 1 from ${name} as each where each::text ilike '%gone@example.com%'`);
      expect(rows, name).toEqual([]);
    }
    await expect(eraseMember(stage.members, { organisationId, member: "gone@example.com" }, origin)).rejects.toMatchObject({
      code: "notFound",
    });
    expect((await invite(organisationId, "gone@example.com")).memberId).not.toBe(memberId);
  });

  test("whose first erasure failed half way is erased by the next one", async () => {
    const organisationId = await stage.organisation();
    await stage.join(organisationId, "boss@example.com");
    const memberId = await stage.join(organisationId, "gone@example.com", "viewer");
    const breaksOff = { ...stage.members, eventStore: { ...stage.events, deleteStream: () => Promise.reject(new Error("killed")) } };
    await expect(eraseMember(breaksOff, { organisationId, member: "gone@example.com" }, origin)).rejects.toThrow("killed");
    await eraseMember(stage.members, { organisationId, member: "gone@example.com" }, origin);
    await expect(written(memberId)).rejects.toMatchObject({ name: "StreamDeleted" });
    expect(await listed(organisationId, "gone@example.com")).toBeUndefined();
  });

  test("whose stream is deleted while the claim on the e-mail is left can be invited again", async () => {
    const organisationId = await stage.organisation();
    const { memberId } = await invite(organisationId, "gone@example.com");
    await stage.events.deleteStream(streamOf.member(memberId));
    expect((await invite(organisationId, "gone@example.com")).memberId).not.toBe(memberId);
  });
});
