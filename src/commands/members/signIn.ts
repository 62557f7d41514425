// Sign-in by e-mail and password. The answer never reveals whether the e-mail is known: an unknown e-mail and a wrong password get the same
// sentence, after the same work and the same time.
import { setTimeout as pause } from "node:timers/promises";
import { emailKey, passwordLength } from "../../domain/members.js";
import { TooBusy } from "../../portErrors.js";
import { hasEmail, passwordsOf, type VerifiedMember } from "../../queries/lookUps/members.js";
import type { MemberDeps } from "./changeMember.js";
import { clearFailures, countFailure, giveBackGuess, paceOf, type SignInAttempt, takeGuess } from "./signInPace.js";

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The request's IP address. */
  readonly address: string;
  readonly knownBrowser?: KnownBrowser | undefined;
  /** Set when a signed-in member gives the password again. Only this member's password then counts. */
  readonly memberId?: string;
}

/** A browser, and the members who have signed in with it before. */
export interface KnownBrowser {
  readonly browser: string;
  readonly memberIds: readonly string[];
}

export type SignInAnswer =
  /** The members whose password this is. If there are several, the person chooses the organisation. */
  | { readonly kind: "verified"; readonly members: readonly [VerifiedMember, ...VerifiedMember[]] }
  /** `members`: those with this e-mail. None of them has this password. */
  | { readonly kind: "refused"; readonly members: readonly VerifiedMember[] }
  | { readonly kind: "wait"; readonly seconds: number };

/** A refusal takes at least this long, so that an e-mail in several organisations, with several passwords to check, does not stand out. */
const minRefusalMs = 400;
/** How many sign-ins this process checks at a time; the others have to wait. One address cannot take all slots of an account. */
const maxConcurrent = { address: 4, account: 16, browser: 4 } as const;
/** How many organisations' passwords are checked for one e-mail. */
const maxOrganisations = 10;
const usualOrganisations = 3;

export function createPasswordCheck(
  deps: MemberDeps & { readonly signingSecret: string },
): (credentials: Credentials, signal?: AbortSignal) => Promise<SignInAnswer> {
  const attemptsBySlot = new Map<string, number>();
  return async ({ email, password, address, knownBrowser, memberId }, signal) => {
    const key = emailKey(email).slice(0, 300);
    const browser = knownBrowser && (await hasEmail(knownBrowser.memberIds, key, deps.pool)) ? knownBrowser.browser : undefined;
    const attempt = { emailKey: key, address, browser, secret: deps.signingSecret };
    const wantedSlots = slotsOf(attempt);
    if (wantedSlots.some(([slot, max]) => (attemptsBySlot.get(slot) ?? 0) >= max)) return { kind: "wait", seconds: 1 };
    const slots = wantedSlots.map(([slot]) => slot);
    for (const slot of slots) attemptsBySlot.set(slot, (attemptsBySlot.get(slot) ?? 0) + 1);
    try {
      return await trySignIn(deps, { ...attempt, password, memberId }, signal);
    } catch (error) {
      if (error instanceof TooBusy) return { kind: "wait", seconds: 2 };
      throw error;
    } finally {
      for (const slot of slots) {
        const remaining = (attemptsBySlot.get(slot) ?? 1) - 1;
        if (remaining > 0) attemptsBySlot.set(slot, remaining);
        else attemptsBySlot.delete(slot);
      }
    }
  };
}

function slotsOf({ emailKey: key, address, browser }: SignInAttempt): (readonly [slot: string, max: number])[] {
  if (browser !== undefined) return [[`browser ${browser}`, maxConcurrent.browser]];
  return [
    [`account ${key}`, maxConcurrent.account],
    [`address ${address}`, maxConcurrent.address],
  ];
}

interface PasswordTry {
  readonly password: string;
  readonly memberId: string | undefined;
}

async function trySignIn(deps: MemberDeps, attempt: SignInAttempt & PasswordTry, signal: AbortSignal | undefined): Promise<SignInAnswer> {
  const pace = await paceOf(deps.pool, attempt);
  if ("refuseMs" in pace) return { kind: "wait", seconds: Math.ceil(pace.refuseMs / 1000) };
  await pause(pace.delayMs, undefined, signal ? { signal } : {});
  const guess = await takeGuess(deps.pool, attempt);
  if ("waitSeconds" in guess) return { kind: "wait", seconds: guess.waitSeconds };
  const startedAtMs = performance.now();
  const { verified, refused, hashCount } = await verify(deps, attempt).catch(async (error: unknown) => {
    if (error instanceof TooBusy) await giveBackGuess(deps.pool, guess); // no password was checked
    throw error;
  });
  const [first, ...others] = verified;
  if (first) {
    await giveBackGuess(deps.pool, guess);
    await clearFailures(deps.pool, attempt);
    return { kind: "verified", members: [first, ...others] };
  }
  // If hashes are slow on a busy machine, every refusal takes at least as long as the hashes of three organisations.
  const answerAfterMs = Math.max(minRefusalMs, (usualOrganisations * (performance.now() - startedAtMs)) / hashCount);
  await countFailure(deps.pool, attempt);
  await pause(Math.max(0, answerAfterMs - (performance.now() - startedAtMs)), undefined, signal ? { signal } : {});
  return { kind: "refused", members: refused };
}

/** Computes at least one hash, also for an unknown e-mail. */
async function verify(
  deps: MemberDeps,
  { emailKey: key, password, memberId }: Pick<SignInAttempt, "emailKey"> & PasswordTry,
): Promise<{ verified: VerifiedMember[]; refused: VerifiedMember[]; hashCount: number }> {
  const members = await passwordsOf(key, maxOrganisations, memberId, deps.pool);
  const candidate = password.slice(0, passwordLength.max + 1);
  if (members.length === 0) await deps.passwords.matches(candidate, undefined);
  const verified: VerifiedMember[] = [];
  const refused: VerifiedMember[] = [];
  for (const { passwordHash, ...member } of members)
    ((await deps.passwords.matches(candidate, passwordHash)) ? verified : refused).push(member);
  return { verified, refused, hashCount: Math.max(1, members.length) };
}
