import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inviteMember, makeLink } from "../../../src/commands/members/invite.js";
import { joinByLink } from "../../../src/commands/members/joinByLink.js";
import { changeRole, eraseMember, removeMember } from "../../../src/commands/members/manage.js";
import { endSession, findSession, openSession } from "../../../src/commands/members/sessions.js";
import { type Credentials, createSignIn, type SignInAnswer } from "../../../src/commands/members/signIn.js";
import { hashToken } from "../../../src/domain/members/link.js";
import type { Passwords } from "../../../src/ports/people.js";
import { origin } from "../support.js";
import { goodPassword, type MemberStage, startMemberStage } from "./support.js";

let stage: MemberStage;
let verifications = 0;
let signIn: (credentials: Credentials) => Promise<SignInAnswer>;
beforeAll(async () => {
  stage = await startMemberStage();
  const { passwords } = stage.members;
  const counting: Passwords = {
    ...passwords,
    matches: (password, hash) => {
      verifications += 1;
      return passwords.matches(password, hash);
    },
  };
  signIn = createSignIn({ ...stage.members, passwords: counting });
});
beforeEach(() => {
  verifications = 0;
});
afterAll(() => stage?.close());

let addresses = 0;
const elsewhere = () => {
  addresses += 1;
  return `192.0.2.${addresses % 250}`;
};
const attempt = (email: string, password = goodPassword, address = elsewhere()) => signIn({ email, password, address });

async function signedIn(email: string, oldToken?: string): Promise<string> {
  const answer = await attempt(email);
  if (answer.kind !== "verified") throw new Error(answer.kind);
  return (await openSession(stage.database.pool, answer.members[0], oldToken)) as string;
}

const session = (token: string) => findSession(stage.database.pool, token);

/** An organisation with an admin `boss-...` and a member of this role. */
async function team(name: string, role = "operator"): Promise<{ organisationId: string; email: string; memberId: string }> {
  const organisationId = await stage.organisation();
  await stage.join(organisationId, `boss-${name}@example.com`);
  const email = `${name}@example.com`;
  return { organisationId, email, memberId: await stage.join(organisationId, email, role) };
}

describe("a session", () => {
  test("belongs to the member who signed in, however the e-mail is written; only its hash is stored", async () => {
    const { organisationId, memberId } = await team("sess");
    const token = await signedIn(" SESS@example.com");
    expect(await session(token)).toMatchObject({
      ...{ memberId, organisationId, role: "operator", email: "sess@example.com", name: "sess@example.com" },
      by: { kind: "member", id: memberId },
    });
    const { rows } = await stage.database.pool.query("select each::text as text from sessions as each where member_id = $1", [memberId]);
    expect(rows[0].text).toContain(hashToken(token));
    expect(rows[0].text).not.toContain(token);
  });

  test("is a new one at each sign-in, and the browser's old one ends", async () => {
    const { email } = await team("fix");
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

  test("ends at the sign-out, also for a copied cookie", async () => {
    const { email } = await team("out");
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
  ])("ends by %s, at once", async (what, change) => {
    const { organisationId, email, memberId } = await team(`ends-${what.replaceAll(" ", "-")}`);
    const token = await signedIn(email);
    const bystander = await signedIn(`boss-${email}`);
    const verified = await attempt(email);
    await change(organisationId, email);
    expect(await session(token)).toBeUndefined();
    expect(await session(bystander)).toBeDefined();
    // A sign-in that was verified before the change opens none either.
    if (verified.kind !== "verified") throw new Error(verified.kind);
    expect(await openSession(stage.database.pool, verified.members[0], undefined)).toBeUndefined();
    const { rows } = await stage.database.pool.query("select from sessions where member_id = $1", [memberId]);
    expect(rows).toEqual([]);
  });

  test("survives a new link for a forgotten password that has not been used", async () => {
    const { organisationId, email } = await team("forgot");
    const token = await signedIn(email);
    await makeLink(stage.members, { organisationId, member: email }, origin);
    expect(await session(token)).toBeDefined();
  });

  test.each([
    ["12 hours without a request", "last_seen_at = date_trunc('milliseconds', now()) - interval '12 hours'", false],
    ["a little less", "last_seen_at = now() - interval '11 hours 59 minutes'", true],
    ["7 days in all", "created_at = date_trunc('milliseconds', now()) - interval '7 days'", false],
    ["a little less in all", "created_at = now() - interval '6 days 23 hours 59 minutes'", true],
  ])("after %s", async (what, change, lives) => {
    const { email } = await team(`age-${what.replaceAll(" ", "-")}`);
    const token = await signedIn(email);
    await stage.database.pool.query(`update sessions set ${change} where token_sha256 = $1`, [hashToken(token)]);
    expect((await session(token)) !== undefined).toBe(lives);
  });

  test("is written to at most once a minute", async () => {
    const { email } = await team("touch");
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
    ["none", undefined],
    ["an empty one", ""],
    ["a short one", "x"],
    ["one that was never given out", "A".repeat(43)],
    ["a long one", "A".repeat(10_000)],
    ["SQL", "' or 1=1 --"],
  ])("is not opened by %s", async (_, token) => {
    expect(await findSession(stage.database.pool, token)).toBeUndefined();
  });
});

describe("a wrong sign-in", () => {
  test("is answered alike, after the same work, whether the e-mail is known or not", async () => {
    const { organisationId, email } = await team("known");
    await inviteMember(stage.members, { organisationId, email: "invited@example.com", role: "viewer" }, origin);
    const removed = await team("removed");
    await removeMember(stage.members, { organisationId: removed.organisationId, member: removed.email }, origin);
    for (const each of [email, "nobody@example.com", "invited@example.com", removed.email, "no e-mail", ""]) {
      verifications = 0;
      const password = each === removed.email ? goodPassword : "wrong password 12";
      expect(await attempt(each, password), each).toEqual({ kind: "refused" });
      expect(verifications, each).toBe(1);
    }
  });

  const elapsed = async (attempted: () => Promise<SignInAnswer>) => {
    const begun = performance.now();
    expect(await attempted()).toEqual({ kind: "refused" });
    return performance.now() - begun + 5; // a timer may be a little early
  };

  test("is answered when three hashes would have been made, whether none, one or two were", async () => {
    const [one, two] = ["once-slow@example.com", "twice-slow@example.com"];
    for (const email of [one, two, two]) await stage.join(await stage.organisation(), email);
    const taking = (ms: number) =>
      createSignIn({ ...stage.members, passwords: { ...stage.members.passwords, matches: () => pause(ms, false) } });
    const [quick, slow] = [taking(0), taking(300)];
    const wrong = (email: string) => ({ email, password: "wrong password 12", address: elsewhere() });
    for (const email of ["nobody-slow@example.com", one, two]) {
      expect(await elapsed(() => quick(wrong(email))), email).toBeGreaterThanOrEqual(400);
      expect(await elapsed(() => slow(wrong(email))), email).toBeGreaterThanOrEqual(900);
    }
  });

  test.runIf(process.env["VERIFY"] === "on")("takes as long at an e-mail of two organisations as at none", async () => {
    const both = "twice-wrong@example.com";
    for (let n = 0; n < 2; n += 1) await stage.join(await stage.organisation(), both);
    const timed = (email: string) => elapsed(() => attempt(email, "wrong password 12"));
    await timed("warm@example.com");
    let [unknown, known] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]; // the quickest of each: a busy machine only adds
    for (let n = 0; n < 4; n += 1) {
      unknown = Math.min(unknown, await timed("nobody-at-all@example.com"));
      known = Math.min(known, await timed(both));
    }
    expect(known / unknown).toBeLessThan(1.5); // both wait for the same moment
    expect(unknown / known).toBeLessThan(1.5);
  });

  test("a password of ten thousand characters is refused like any other", async () => {
    const { email } = await team("long");
    expect(await attempt(email, "x".repeat(10_000))).toEqual({ kind: "refused" });
  });

  /** As many at once as given, so often. What a batch is answered is counted by kind. */
  async function siege(batches: number, many: number, each: (n: number) => Promise<SignInAnswer>, meanwhile: () => Promise<void>) {
    const kinds: Record<string, number> = {};
    for (let batch = 0; batch < batches; batch += 1) {
      const tries = Array.from({ length: many }, (_, n) => each(batch * many + n));
      if (batch === batches - 1) await meanwhile();
      for (const { kind } of await Promise.all(tries)) kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return kinds;
  }

  const kept = async (memberId: string) =>
    (await stage.database.pool.query("select each::text as text from members as each where member_id = $1", [memberId])).rows;

  test("100,000 of them from one address make that address wait at that account, and lock no other address out", async () => {
    const { email, memberId } = await team("guessed");
    const { email: neighbour } = await team("neighbour");
    const guesser = "203.0.113.9";
    const before = await kept(memberId);
    const kinds = await siege(
      50,
      2_000,
      (n) => attempt(email, `wrong password ${n}`, guesser),
      async () => expect(await attempt(email)).toMatchObject({ kind: "verified" }),
    );
    expect([kinds["wait"], kinds["refused"], kinds["verified"]]).toEqual([100_000 - verifications + 1, verifications - 1, undefined]);
    expect(verifications).toBeLessThan(100); // the rest cost no hashing
    expect(await attempt(email, goodPassword, guesser)).toMatchObject({ kind: "wait" });
    expect(await attempt(neighbour, goodPassword, guesser)).toMatchObject({ kind: "verified" });
    expect(await kept(memberId)).toEqual(before);
  });

  test("100,000 of them from everywhere leave the owner's password as good as ever, and others do not notice", async () => {
    const { organisationId, email, memberId } = await team("besieged");
    const { email: neighbour } = await team("quiet");
    const { token } = await makeLink(stage.members, { organisationId, member: email }, origin);
    const before = await kept(memberId);
    const kinds = await siege(
      2,
      50_000,
      (n) => attempt(email, `wrong password ${n}`, `2001:db8:0:${(n % 50_000).toString(16)}::/64`),
      async () => expect(await attempt(neighbour)).toMatchObject({ kind: "verified" }),
    );
    expect((kinds["wait"] ?? 0) + (kinds["refused"] ?? 0)).toBe(100_000);
    expect(verifications).toBeLessThan(100);
    expect(await kept(memberId)).toEqual(before);
    expect(await attempt(email)).toMatchObject({ kind: "verified" });
    expect(await joinByLink(stage.members, { token, password: "another good password" }, "test")).toMatchObject({ memberId });
  });

  test("more than a few at once at one account take no place from others", async () => {
    const { email } = await team("crowded");
    const { email: other } = await team("beside");
    const crowd = Promise.all(Array.from({ length: 40 }, () => attempt(email, "wrong password 12")));
    expect(await attempt(other)).toMatchObject({ kind: "verified" });
    const kinds = (await crowd).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "wait").length).toBe(24);
  });

  test("counts are forgotten, and never more than the table may hold", async () => {
    const { pool } = stage.database;
    await pool.query("insert into sign_in_failures select 'old ' || n, 9, now() - interval '16 minutes' from generate_series(1, 500) as n");
    const { email } = await team("sweeper");
    const { countFailure } = await import("../../../src/commands/members/signInPace.js");
    for (let n = 0; n < 101; n += 1) await countFailure(pool, { emailKey: email, address: "198.51.100.1" });
    const { rows } = await pool.query("select count(*)::int as old from sign_in_failures where key like 'old %'");
    expect(rows[0].old).toBe(0);
  });
});

test("an e-mail of several organisations is verified for those whose password it is", async () => {
  const email = "several@example.com";
  const ids = [await stage.organisation(), await stage.organisation(), await stage.organisation()];
  await stage.join(ids[0] as string, email);
  await stage.join(ids[1] as string, email);
  await stage.join(ids[2] as string, email, "viewer", "quite another password");
  const answer = await attempt(email);
  expect(answer.kind === "verified" && answer.members.map(({ organisationId }) => organisationId).sort()).toEqual(ids.slice(0, 2).sort());
  const other = await attempt(email, "quite another password");
  expect(other.kind === "verified" && other.members.map(({ organisationId }) => organisationId)).toEqual([ids[2]]);
});
