import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { joinByLink } from "../../../src/commands/members/joinOrganisation.js";
import { inviteMember, makeLink, removeMember } from "../../../src/commands/members/manageMembers.js";
import { createPasswordCheck, type SignInAnswer } from "../../../src/commands/members/signIn.js";
import { hashEmail } from "../../../src/commands/members/signInPace.js";
import { TooBusy } from "../../../src/portErrors.js";
import { forgetExpiredSignIns } from "../../../src/workers/imports/upkeep/sweeps.js";
import { everyCase } from "../../support/projects/everyCase.js";
import { origin } from "../support.js";
import { elsewhere, type SignInStage, signingSecret, startSignInStage } from "./signInStage.js";
import { goodPassword } from "./support.js";

let stage: SignInStage;
beforeAll(async () => {
  stage = await startSignInStage();
});
beforeEach(() => {
  stage.verifications = 0;
});
afterAll(() => stage?.close());

describe("a wrong sign-in", () => {
  test("is answered the same, after one password check, whether the e-mail is known or not", async () => {
    const { organisationId, email } = await stage.team("known");
    await inviteMember(stage.members, { organisationId, email: "invited@example.com", role: "viewer" }, origin);
    const removed = await stage.team("removed");
    await removeMember(stage.members, { organisationId: removed.organisationId, member: removed.email }, origin);
    for (const each of [email, "nobody@example.com", "invited@example.com", removed.email, "no e-mail", ""]) {
      stage.verifications = 0;
      const password = each === removed.email ? goodPassword : "wrong password 12";
      expect(await stage.attempt(each, password), each).toMatchObject({ kind: "refused" });
      expect(stage.verifications, each).toBe(1);
    }
  });

  const elapsed = async (attempted: () => Promise<SignInAnswer>) => {
    const begun = performance.now();
    expect(await attempted()).toMatchObject({ kind: "refused" });
    return performance.now() - begun + 5; // a timer may be a little early
  };

  test("is answered after the time of three hashes, whether none, one or two were made", async () => {
    const [one, two] = ["once-slow@example.com", "twice-slow@example.com"];
    for (const email of [one, two, two]) await stage.join(await stage.organisation(), email);
    const taking = (ms: number) =>
      createPasswordCheck({ ...stage.members, signingSecret, passwords: { ...stage.members.passwords, matches: () => pause(ms, false) } });
    const [quick, slow] = [taking(0), taking(300)];
    const wrong = (email: string) => ({ email, password: "wrong password 12", address: elsewhere() });
    for (const email of ["nobody-slow@example.com", one, two]) {
      expect(await elapsed(() => quick(wrong(email))), email).toBeGreaterThanOrEqual(400);
      expect(await elapsed(() => slow(wrong(email))), email).toBeGreaterThanOrEqual(900);
    }
  });

  test.runIf(everyCase)("takes as long at an e-mail of two organisations as at none", async () => {
    const both = "twice-wrong@example.com";
    for (let n = 0; n < 2; n += 1) await stage.join(await stage.organisation(), both);
    const timed = (email: string) => elapsed(() => stage.attempt(email, "wrong password 12"));
    await timed("warm@example.com");
    let [unknown, known] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]; // the quickest of each counts: a busy machine only adds to it
    for (let n = 0; n < 4; n += 1) {
      unknown = Math.min(unknown, await timed("nobody-at-all@example.com"));
      known = Math.min(known, await timed(both));
    }
    expect(known / unknown).toBeLessThan(1.5); // both are answered after the same time
    expect(unknown / known).toBeLessThan(1.5);
  });

  test("with a password of ten thousand characters is refused", async () => {
    const { email } = await stage.team("long");
    expect(await stage.attempt(email, "x".repeat(10_000))).toMatchObject({ kind: "refused" });
  });

  /** Makes `batches` times `many` attempts at once, and runs `meanwhile` beside the last batch. Returns how often each kind of answer came. */
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

  test("repeated 100,000 times from one address makes that address wait at that account, and locks out no other address", async () => {
    const { email, memberId } = await stage.team("guessed");
    const { email: neighbour } = await stage.team("neighbour");
    const guesser = "203.0.113.9";
    const before = await kept(memberId);
    const kinds = await siege(
      50,
      2_000,
      (n) => stage.attempt(email, `wrong password ${n}`, guesser),
      async () => expect(await stage.attempt(email)).toMatchObject({ kind: "verified" }),
    );
    expect([kinds["wait"], kinds["refused"], kinds["verified"]]).toEqual([
      100_000 - stage.verifications + 1,
      stage.verifications - 1,
      undefined,
    ]);
    expect(stage.verifications).toBeLessThan(100); // the other attempts made no hash
    await stage.database.pool.query("update sign_in_failures set last_at = now()"); // on a busy machine the wait may be over by now
    expect(await stage.attempt(email, goodPassword, guesser)).toMatchObject({ kind: "wait" });
    expect(await stage.attempt(neighbour, goodPassword, guesser)).toMatchObject({ kind: "verified" });
    expect(await kept(memberId)).toEqual(before);
  });

  test("repeated 100,000 times from many addresses locks out neither the account's owner nor other accounts", async () => {
    const { organisationId, email, memberId } = await stage.team("besieged");
    const { email: neighbour } = await stage.team("quiet");
    const { token } = await makeLink(stage.members, { organisationId, member: email }, origin);
    const before = await kept(memberId);
    const kinds = await siege(
      2,
      50_000,
      (n) => stage.attempt(email, `wrong password ${n}`, `2001:db8:0:${(n % 50_000).toString(16)}::/64`),
      async () => expect(await stage.attempt(neighbour)).toMatchObject({ kind: "verified" }),
    );
    expect((kinds["wait"] ?? 0) + (kinds["refused"] ?? 0)).toBe(100_000);
    expect(stage.verifications).toBeLessThan(100);
    expect(await kept(memberId)).toEqual(before);
    expect(await stage.attempt(email)).toMatchObject({ kind: "verified" });
    expect(await joinByLink(stage.members, { token, password: "another good password" }, "test")).toMatchObject({ memberId });
  });

  test("repeated 40 times at once at one account is told to wait 24 times, and other accounts can sign in meanwhile", async () => {
    const { email } = await stage.team("crowded");
    const { email: other } = await stage.team("beside");
    const crowd = Promise.all(Array.from({ length: 40 }, () => stage.attempt(email, "wrong password 12")));
    expect(await stage.attempt(other)).toMatchObject({ kind: "verified" });
    const kinds = (await crowd).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "wait").length).toBe(24);
  });

  test("is counted, and counts older than 15 minutes are deleted while others are added", async () => {
    const { pool } = stage.database;
    await pool.query("insert into sign_in_failures select 'old ' || n, 9, now() - interval '16 minutes' from generate_series(1, 500) as n");
    const { email } = await stage.team("sweeper");
    const { countFailure } = await import("../../../src/commands/members/signInPace.js");
    for (let n = 0; n < 101; n += 1) await countFailure(pool, { emailKey: email, address: "198.51.100.1", secret: signingSecret });
    const { rows } = await pool.query("select count(*)::int as old from sign_in_failures where key like 'old %'");
    expect(rows[0].old).toBe(0);
  });
});

describe("an account's budget of wrong passwords", () => {
  const wrong = "wrong password 12";
  /** Writes guesses of the last hour, or older, into the one row that the attempts have made. */
  const setGuesses = async (count: number, ago: string) => {
    const guesses = "array(select now() - $2::interval from generate_series(1, $1::int))";
    await stage.database.pool.query(`update sign_in_guesses set guessed_at = ${guesses}`, [count, ago]);
  };
  beforeEach(() => stage.database.pool.query("delete from sign_in_guesses"));

  test.each(["known", "unknown"])("is 100 an hour, from however many addresses, where the e-mail is %s", async (which) => {
    const email = which === "known" ? (await stage.team("budget")).email : "budget-of-nobody@example.com";
    expect(await stage.attempt(email, wrong)).toMatchObject({ kind: "refused" });
    await setGuesses(98, "59 minutes");
    stage.verifications = 0;
    expect(await stage.attempt(email, wrong)).toMatchObject({ kind: "refused" }); // the 99th
    expect(await stage.attempt(email, wrong)).toMatchObject({ kind: "refused" }); // the 100th
    expect(stage.verifications).toBe(2);
    const late = await stage.attempt(email, wrong);
    expect(late).toEqual({ kind: "wait", seconds: expect.any(Number) }); // the 101st
    expect(late.kind === "wait" && late.seconds > 0 && late.seconds <= 60).toBe(true);
    expect(await stage.attempt(email)).toMatchObject({ kind: "wait" }); // also with the right password
    expect(stage.verifications).toBe(2);
    await setGuesses(100, "61 minutes");
    expect(await stage.attempt(email, wrong)).toMatchObject({ kind: "refused" });
  });

  test("is not exceeded by guesses at the same moment, at several processes", async () => {
    const { email } = await stage.team("at-once");
    expect(await stage.attempt(email, wrong)).toMatchObject({ kind: "refused" });
    await setGuesses(95, "1 minute");
    let looked = 0;
    const matches = async () => {
      looked += 1;
      return false;
    };
    const signIns = Array.from({ length: 4 }, () =>
      createPasswordCheck({ ...stage.members, signingSecret, passwords: { ...stage.members.passwords, matches } }),
    );
    const tries = signIns.flatMap((signIn) => Array.from({ length: 15 }, () => signIn({ email, password: wrong, address: elsewhere() })));
    const kinds = (await Promise.all(tries)).map(({ kind }) => kind);
    expect([looked, kinds.filter((kind) => kind === "refused").length]).toEqual([5, 5]);
  });

  test("is not used up by right passwords, or by tries that are not looked at", async () => {
    const { email } = await stage.team("right");
    for (let n = 0; n < 3; n += 1) expect(await stage.attempt(email)).toMatchObject({ kind: "verified" });
    const busy = () => Promise.reject(new TooBusy("busy"));
    const signIn = createPasswordCheck({ ...stage.members, signingSecret, passwords: { ...stage.members.passwords, matches: busy } });
    expect(await signIn({ email, password: wrong, address: elsewhere() })).toMatchObject({ kind: "wait" });
    const { rows } = await stage.database.pool.query("select cardinality(guessed_at) as guesses from sign_in_guesses");
    expect(rows).toEqual([{ guesses: 0 }]);
  });

  test("does not hold for a browser that has signed in there before, which has 20 of its own", async () => {
    const { email, memberId } = await stage.team("known-browser");
    const known = { browser: "a browser", memberIds: [memberId] };
    expect(await stage.attempt(email, wrong)).toMatchObject({ kind: "refused" });
    await setGuesses(100, "1 minute");
    const here = "203.0.113.77"; // another person's guesses come from the same address, as behind a proxy that is not trusted
    for (let n = 0; n < 6; n += 1) await stage.attempt(`other-${n}@example.com`, wrong, here);
    expect(await stage.attempt(email, goodPassword, here)).toMatchObject({ kind: "wait" });
    expect(await stage.attempt(email, goodPassword, here, known)).toMatchObject({ kind: "verified" });
    const stranger = { browser: "a browser", memberIds: ["00000000-0000-4000-8000-000000000000"] };
    expect(await stage.attempt(email, goodPassword, here, stranger)).toMatchObject({ kind: "wait" });
    await setGuesses(19, "1 minute");
    expect(await stage.attempt(email, wrong, here, known)).toMatchObject({ kind: "refused" });
    expect(await stage.attempt(email, goodPassword, here, known)).toMatchObject({ kind: "wait" });
  });

  test("has keys that cannot be made from an e-mail without the secret, and ends with its hour", async () => {
    const { pool } = stage.database;
    expect(await stage.attempt("kept@example.com", wrong)).toMatchObject({ kind: "refused" });
    const keys = async () => (await pool.query<{ key: string }>("select key from sign_in_guesses")).rows.map(({ key }) => key);
    const [key] = await keys();
    expect([hashEmail(signingSecret, "budget", "kept@example.com"), hashEmail("another", "budget", "kept@example.com") === key]).toEqual([
      key,
      false,
    ]);
    await forgetExpiredSignIns({ pool });
    expect(await keys()).toEqual([key]);
    await setGuesses(3, "61 minutes");
    await pool.query("update sign_in_failures set last_at = now() - interval '16 minutes'");
    await forgetExpiredSignIns({ pool });
    expect([await keys(), (await pool.query("select from sign_in_failures")).rowCount]).toEqual([[], 0]);
  });
});

test("an e-mail in several organisations is verified for those that have the given password", async () => {
  const email = "several@example.com";
  const ids = [await stage.organisation(), await stage.organisation(), await stage.organisation()];
  await stage.join(ids[0] as string, email);
  await stage.join(ids[1] as string, email);
  await stage.join(ids[2] as string, email, "viewer", "quite another password");
  const answer = await stage.attempt(email);
  expect(answer.kind === "verified" && answer.members.map(({ organisationId }) => organisationId).sort()).toEqual(ids.slice(0, 2).sort());
  const other = await stage.attempt(email, "quite another password");
  expect(other.kind === "verified" && other.members.map(({ organisationId }) => organisationId)).toEqual([ids[2]]);
});
