// Wrong passwords make the next tries slower: an address that fails at an account waits longer and longer for that account alone, and one
// that fails often anywhere is answered later. An account has a budget of wrong passwords an hour, however many addresses they come from. A
// browser that has signed in there before has counts and a budget of its own, so that other people's guesses do not keep it out. Counted in
// the database, for all processes; each count is forgotten a quarter of an hour after its last failure.
import { createHmac } from "node:crypto";
import type { Pool } from "pg";

export interface SignInAttempt {
  /** The e-mail in the form in which e-mails are compared. */
  readonly emailKey: string;
  readonly address: string;
  /** The browser, where it has signed in at this e-mail before. */
  readonly browser?: string | undefined;
  /** Keys the hashes, so that nobody can try e-mails against them. */
  readonly secret: string;
}

/** How long an attempt waits, in milliseconds. `refuseMs`: the person has to try again after that time. `delayMs`: the answer comes after it. */
export type Pace = { readonly refuseMs: number } | { readonly delayMs: number };

export const paceLimits = { freeTries: 5, longestRefusalMs: 300_000, addressTries: 50, longestDelayMs: 2_000 } as const;
const forgottenAfter = "15 minutes";
const mostRows = 100_000;

export const hashEmail = (secret: string, purpose: string, emailKey: string): string =>
  createHmac("sha256", secret).update(`sign-in ${purpose}\n${emailKey}`).digest("base64url");

/** `own`: this browser or address at this account. `address`: the address anywhere; absent for a known browser, whose address others may share. */
function keysOf({ emailKey, address, browser, secret }: SignInAttempt): { own: string; address?: string } {
  if (browser !== undefined) return { own: hashEmail(secret, `browser ${browser}`, emailKey) };
  return { own: hashEmail(secret, `address ${address}`, emailKey), address: hashEmail(secret, "address", address) };
}

export async function paceOf(pool: Pool, attempt: SignInAttempt): Promise<Pace> {
  const { own, address } = keysOf(attempt);
  const { rows } = await pool.query<{ key: string; failures: number; agoMs: number }>(
    `select key, failures, extract(epoch from now() - last_at)::float8 * 1000 as "agoMs" from sign_in_failures
      where key = any($1::text[]) and last_at > now() - interval '${forgottenAfter}'`,
    [[own, address]],
  );
  const of = (key: string | undefined) => rows.find((row) => row.key === key) ?? { failures: 0, agoMs: 0 };
  const refuseMs = refusalMs(of(own).failures) - of(own).agoMs;
  return refuseMs > 0 ? { refuseMs } : { delayMs: delayMs(of(address).failures, paceLimits.addressTries) };
}

/** A second after the free tries, doubling. */
const refusalMs = (failures: number): number =>
  failures < paceLimits.freeTries ? 0 : Math.min(1000 * 2 ** Math.min(failures - paceLimits.freeTries, 20), paceLimits.longestRefusalMs);

const delayMs = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min((250 * failures) / free, paceLimits.longestDelayMs);

export async function countFailure(pool: Pool, attempt: SignInAttempt): Promise<void> {
  await pool.query(
    `insert into sign_in_failures (key, failures, last_at) select key, 1, now() from unnest($1::text[]) as key order by key
     on conflict (key) do update set last_at = now(),
       failures = case when sign_in_failures.last_at > now() - interval '${forgottenAfter}' then least(sign_in_failures.failures + 1, 1000000) else 1 end`,
    [Object.values(keysOf(attempt))],
  );
  untilSweep -= 1;
  if (untilSweep > 0) return;
  untilSweep = 100;
  await forgetFailures(pool);
}

let untilSweep = 0;

/** A right password clears the count of this browser or address at this account. */
export async function clearFailures(pool: Pool, attempt: SignInAttempt): Promise<void> {
  await pool.query("delete from sign_in_failures where key = $1", [keysOf(attempt).own]);
}

/** Deletes expired counts, and the oldest counts where there are too many. Every hundredth failure calls it, and the worker. */
export async function forgetFailures(pool: Pool): Promise<void> {
  await pool.query(
    `delete from sign_in_failures where last_at < now() - interval '${forgottenAfter}'
        or key in (select key from sign_in_failures order by last_at desc offset ${mostRows})`,
  );
}

export const guessesPerHour = { account: 100, knownBrowser: 20 } as const;

export type Guess = { readonly key: string; readonly at: string } | { readonly waitSeconds: number };

/**
 * Taken from the budget before the password is looked at, so that guesses at the same moment cannot share a place; a right password gives it
 * back. An unknown e-mail has the same budget.
 */
export async function takeGuess(pool: Pool, { emailKey, browser, secret }: SignInAttempt): Promise<Guess> {
  const key = hashEmail(secret, browser === undefined ? "budget" : `budget ${browser}`, emailKey);
  const most = browser === undefined ? guessesPerHour.account : guessesPerHour.knownBrowser;
  const { rows } = await pool.query<{ at: string }>(
    `insert into sign_in_guesses as known (key, guessed_at) values ($1, array[clock_timestamp()])
     on conflict (key) do update set guessed_at = array(select each from unnest(known.guessed_at) as each
         where each > now() - interval '1 hour' order by each) || excluded.guessed_at
       where (select count(*) from unnest(known.guessed_at) as each where each > now() - interval '1 hour') < $2
     returning guessed_at[cardinality(guessed_at)]::text as at`,
    [key, most],
  );
  const at = rows[0]?.at;
  return at === undefined ? { waitSeconds: await secondsLeft(pool, key) } : { key, at };
}

/** Until the oldest guess of the hour is an hour old. */
async function secondsLeft(pool: Pool, key: string): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select ceil(extract(epoch from min(each) + interval '1 hour' - now()))::int as seconds
       from sign_in_guesses, unnest(guessed_at) as each where key = $1 and each > now() - interval '1 hour'`,
    [key],
  );
  return Math.max(1, rows[0]?.seconds ?? 1);
}

export async function giveBackGuess(pool: Pool, { key, at }: Extract<Guess, { key: string }>): Promise<void> {
  await pool.query("update sign_in_guesses set guessed_at = array_remove(guessed_at, $2::timestamptz) where key = $1", [key, at]);
}

export async function forgetGuesses(pool: Pool): Promise<void> {
  await pool.query(
    "delete from sign_in_guesses where coalesce(guessed_at[cardinality(guessed_at)], '-infinity') < now() - interval '1 hour'",
  );
}
