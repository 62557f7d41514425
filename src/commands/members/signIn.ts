// Sign-in by e-mail and password. The answer never tells whether the e-mail is known: an unknown e-mail and a wrong password get the same
// sentence, after the same work, and neither answer comes earlier.
import { setTimeout as pause } from "node:timers/promises";
import { emailKey, passwordLength } from "../../domain/members.js";
import { TooBusy } from "../../portErrors.js";
import { hasEmail, passwordsOf, type VerifiedMember } from "../../queries/lookUps/members.js";
import type { MemberDeps } from "./changeMember.js";
import { clearFailures, countFailure, giveBackGuess, paceOf, type SignInAttempt, takeGuess } from "./signInPace.js";

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Where the request comes from. */
  readonly address: string;
  readonly known?: KnownBrowser | undefined;
  /** Set when somebody who is signed in gives the password once more: only this member's password counts. */
  readonly memberId?: string;
}

/** A browser, and the members who have signed in there before. */
export interface KnownBrowser {
  readonly browser: string;
  readonly memberIds: readonly string[];
}

export type SignInAnswer =
  /** The members whose password this is. If there are several, the person says in which organisation. */
  | { readonly kind: "verified"; readonly members: readonly [VerifiedMember, ...VerifiedMember[]] }
  /** `members`: those with this e-mail. It was the password of none of them. */
  | { readonly kind: "refused"; readonly members: readonly VerifiedMember[] }
  | { readonly kind: "wait"; readonly seconds: number };

/** A refusal never comes earlier than this, so that an e-mail in several organisations, whose passwords are all checked, does not stand out. */
const wrongAfterMs = 400;
/** How many sign-ins this process checks at once. Further ones are told to wait. One address cannot fill an account's places. */
const mostAtOnce = { address: 4, account: 16, browser: 4 } as const;
const mostOrganisations = 10;
const usualOrganisations = 3;

export function createPasswordCheck(
  deps: MemberDeps & { readonly signingSecret: string },
): (credentials: Credentials, signal?: AbortSignal) => Promise<SignInAnswer> {
  const underWay = new Map<string, number>();
  return async ({ email, password, address, known, memberId }, signal) => {
    const key = emailKey(email).slice(0, 300);
    const browser = known && (await hasEmail(known.memberIds, key, deps.pool)) ? known.browser : undefined;
    const attempt = { emailKey: key, address, browser, secret: deps.signingSecret };
    const wanted = placesOf(attempt);
    if (wanted.some(([place, most]) => (underWay.get(place) ?? 0) >= most)) return { kind: "wait", seconds: 1 };
    const places = wanted.map(([place]) => place);
    for (const place of places) underWay.set(place, (underWay.get(place) ?? 0) + 1);
    try {
      return await tryOnce(deps, { ...attempt, password, memberId }, signal);
    } catch (error) {
      if (error instanceof TooBusy) return { kind: "wait", seconds: 2 };
      throw error;
    } finally {
      for (const place of places) {
        const left = (underWay.get(place) ?? 1) - 1;
        if (left > 0) underWay.set(place, left);
        else underWay.delete(place);
      }
    }
  };
}

function placesOf({ emailKey: key, address, browser }: SignInAttempt): (readonly [place: string, most: number])[] {
  if (browser !== undefined) return [[`browser ${browser}`, mostAtOnce.browser]];
  return [
    [`account ${key}`, mostAtOnce.account],
    [`address ${address}`, mostAtOnce.address],
  ];
}

interface Given {
  readonly password: string;
  readonly memberId: string | undefined;
}

async function tryOnce(deps: MemberDeps, attempt: SignInAttempt & Given, signal: AbortSignal | undefined): Promise<SignInAnswer> {
  const pace = await paceOf(deps.pool, attempt);
  if ("refuseMs" in pace) return { kind: "wait", seconds: Math.ceil(pace.refuseMs / 1000) };
  await pause(pace.delayMs, undefined, signal ? { signal } : {});
  const guess = await takeGuess(deps.pool, attempt);
  if ("waitSeconds" in guess) return { kind: "wait", seconds: guess.waitSeconds };
  const begun = performance.now();
  const { verified, refused, looked } = await verify(deps, attempt).catch(async (error: unknown) => {
    if (error instanceof TooBusy) await giveBackGuess(deps.pool, guess); // nothing was looked at
    throw error;
  });
  const [first, ...others] = verified;
  if (first) {
    await giveBackGuess(deps.pool, guess);
    await clearFailures(deps.pool, attempt);
    return { kind: "verified", members: [first, ...others] };
  }
  // On a busy machine one hash may take longer than that: then every refusal takes as long as the hashes of three organisations.
  const answerAfterMs = Math.max(wrongAfterMs, (usualOrganisations * (performance.now() - begun)) / looked);
  await countFailure(deps.pool, attempt);
  await pause(Math.max(0, answerAfterMs - (performance.now() - begun)), undefined, signal ? { signal } : {});
  return { kind: "refused", members: refused };
}

/** Computes at least one hash, also for an unknown e-mail. */
async function verify(
  deps: MemberDeps,
  { emailKey: key, password, memberId }: Pick<SignInAttempt, "emailKey"> & Given,
): Promise<{ verified: VerifiedMember[]; refused: VerifiedMember[]; looked: number }> {
  const members = await passwordsOf(key, mostOrganisations, memberId, deps.pool);
  const given = password.slice(0, passwordLength.most + 1);
  if (members.length === 0) await deps.passwords.matches(given, undefined);
  const verified: VerifiedMember[] = [];
  const refused: VerifiedMember[] = [];
  for (const { passwordHash, ...member } of members)
    ((await deps.passwords.matches(given, passwordHash)) ? verified : refused).push(member);
  return { verified, refused, looked: Math.max(1, members.length) };
}
