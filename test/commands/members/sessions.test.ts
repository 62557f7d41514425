import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { transaction } from "../../../src/adapters/postgres/pool.js";
import { joinByLink } from "../../../src/commands/members/joinOrganisation.js";
import { changeRole, eraseMember, makeLink, removeMember } from "../../../src/commands/members/manageMembers.js";
import { endSession, findSession, openSession } from "../../../src/commands/members/sessions.js";
import { hashToken } from "../../../src/domain/members.js";
import { origin } from "../support.js";
import { type SignInStage, startSignInStage } from "./signInStage.js";

let stage: SignInStage;
beforeAll(async () => {
  stage = await startSignInStage();
});
afterAll(() => stage?.close());

async function signedIn(email: string, oldToken?: string): Promise<string> {
  const answer = await stage.attempt(email);
  if (answer.kind !== "verified") throw new Error(answer.kind);
  return (await openSession(stage.database.pool, answer.members[0], oldToken)) as string;
}

const session = (token: string) => findSession(stage.database.pool, token);

describe("a session", () => {
  test("belongs to the member who signed in, however the e-mail is spelt; of its token only the hash is stored", async () => {
    const { organisationId, memberId } = await stage.team("sess");
    const token = await signedIn(" SESS@example.com");
    expect(await session(token)).toMatchObject({
      ...{ memberId, organisationId, role: "operator", email: "sess@example.com", name: "sess@example.com" },
      by: { kind: "member", id: memberId },
    });
    const { rows } = await stage.database.pool.query("select each::text as text from sessions as each where member_id = $1", [memberId]);
    expect(rows[0].text).toContain(hashToken(token));
    expect(rows[0].text).not.toContain(token);
  });

  test("is a new one at each sign-in, and the session that the browser had before ends", async () => {
    const { email } = await stage.team("fix");
    const planted = await signedIn(email);
    const token = await signedIn(email, planted);
    expect(token).not.toBe(planted);
    expect(await session(planted)).toBeUndefined();
    expect(await session(token)).toBeDefined();
    // A token that Waybill did not make is ignored.
    const foreign = "A".repeat(43);
    expect(await signedIn(email, foreign)).not.toBe(foreign);
    expect(await session(foreign)).toBeUndefined();
  });

  test("ends at the sign-out, and the member's other session does not", async () => {
    const { email } = await stage.team("out");
    const [token, other] = [await signedIn(email), await signedIn(email)];
    await endSession(stage.database.pool, token);
    expect(await session(token)).toBeUndefined();
    expect(await session(other)).toBeDefined();
  });

  test.each([
    ["removal", (organisationId: string, member: string) => removeMember(stage.members, { organisationId, member }, origin)],
    [
      "a new role",
      (organisationId: string, member: string) => changeRole(stage.members, { organisationId, member, role: "viewer" }, origin),
    ],
    ["erasure", (organisationId: string, member: string) => eraseMember(stage.members, { organisationId, member }, origin)],
    [
      "a new password",
      async (organisationId: string, member: string) => {
        const { token } = await makeLink(stage.members, { organisationId, member }, origin);
        await joinByLink(stage.members, { token, password: "another harbour entirely" }, "test");
      },
    ],
  ])("ends at once after %s, and so does a sign-in that was verified but had no session yet", async (what, change) => {
    const { organisationId, email, memberId } = await stage.team(`ends-${what.replaceAll(" ", "-")}`);
    const token = await signedIn(email);
    const bystander = await signedIn(`boss-${email}`);
    const verified = await stage.attempt(email);
    await change(organisationId, email);
    expect(await session(token)).toBeUndefined();
    expect(await session(bystander)).toBeDefined();
    // A sign-in that was verified before the change opens no session.
    if (verified.kind !== "verified") throw new Error(verified.kind);
    expect(await openSession(stage.database.pool, verified.members[0], undefined)).toBeUndefined();
    const { rows } = await stage.database.pool.query("select from sessions where member_id = $1", [memberId]);
    expect(rows).toEqual([]);
  });

  test("goes on when a new password link is made and not used", async () => {
    const { organisationId, email } = await stage.team("forgot");
    const token = await signedIn(email);
    await makeLink(stage.members, { organisationId, member: email }, origin);
    expect(await session(token)).toBeDefined();
  });

  test.each([
    ["12 hours without a request", "last_seen_at = date_trunc('milliseconds', now()) - interval '12 hours'", false],
    ["a little less", "last_seen_at = date_trunc('milliseconds', now()) - interval '12 hours' + interval '1 millisecond'", true],
    ["7 days in all", "created_at = date_trunc('milliseconds', now()) - interval '7 days'", false],
    ["a little less in all", "created_at = date_trunc('milliseconds', now()) - interval '7 days' + interval '1 millisecond'", true],
  ])("after %s is valid or not", async (what, change, lives) => {
    const { email } = await stage.team(`age-${what.replaceAll(" ", "-")}`);
    const token = await signedIn(email);
    // In one transaction the clock stands still. The columns have milliseconds.
    const found = await transaction(stage.database.pool, async (client) => {
      await client.query(`update sessions set ${change} where token_sha256 = $1`, [hashToken(token)]);
      return findSession(client, token);
    });
    expect(found !== undefined).toBe(lives);
  });

  test("is written to the table at most once a minute", async () => {
    const { email } = await stage.team("touch");
    const token = await signedIn(email);
    const seen = async () => {
      const { rows } = await stage.database.pool.query("select last_seen_at, xmin from sessions where token_sha256 = $1", [
        hashToken(token),
      ]);
      return rows[0];
    };
    const before = await seen();
    for (let n = 0; n < 3; n += 1) await session(token);
    expect(await seen()).toEqual(before);
    await stage.database.pool.query("update sessions set last_seen_at = now() - interval '61 seconds' where token_sha256 = $1", [
      hashToken(token),
    ]);
    await session(token);
    expect((await seen()).last_seen_at.getTime()).toBeGreaterThanOrEqual(before.last_seen_at.getTime());
  });

  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["short", "x"],
    ["well-formed but never given out", "A".repeat(43)],
    ["long", "A".repeat(10_000)],
    ["SQL", "' or 1=1 --"],
  ])("is not found by a token that is %s", async (_, token) => {
    expect(await findSession(stage.database.pool, token)).toBeUndefined();
  });
});
